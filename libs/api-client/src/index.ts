export { createRunyardClient, type RunyardClient, type RunyardClientOptions } from './client.js';
export { RunyardApiError, unwrap } from './errors.js';
export { followRun, PATIENCE_MS, ServerAwayError, type FollowOptions } from './follow-run.js';
export { type EventEnvelope } from './event-envelope.js';
export { type TextDelta } from './text-delta.js';
export { type components, type paths } from './generated/schema.js';
