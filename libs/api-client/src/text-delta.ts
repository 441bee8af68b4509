import { type EventEnvelope } from './event-envelope.js';

/** A piece of what a model says, shown while it says it: no event of the log, so it has no number and may be missed. */
export interface TextDelta {
  event: 'agent.llm.delta';
  run_id: string;
  node_id: string;
  stage_id: string;
  /** `offset` counts the characters of this answer before the piece: at 0 another answer begins. */
  properties: { offset: number; delta: string };
}

export function isTextDelta(frame: EventEnvelope | TextDelta): frame is TextDelta {
  return frame.event === 'agent.llm.delta';
}
