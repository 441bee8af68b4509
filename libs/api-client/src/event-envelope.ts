import { type components } from './generated/schema.js';

export type EventEnvelope = components['schemas']['EventEnvelope'];
