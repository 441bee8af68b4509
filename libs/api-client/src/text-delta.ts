import { type EventEnvelope } from './event-envelope.js';

const NAMES = ['agent.llm.delta', 'command.output.delta'] as const;

/** A piece of what a model says or a command prints, shown while it does: no event of the log, so it has no number and may be missed. */
export interface TextDelta {
  event: (typeof NAMES)[number];
  run_id: string;
  node_id: string;
  stage_id: string;
  /** `offset` counts the characters of this answer or output before the piece: at 0 another one begins. */
  properties: { offset: number; delta: string };
}

export function isTextDelta(frame: EventEnvelope | TextDelta): frame is TextDelta {
  return (NAMES as readonly string[]).includes(frame.event);
}
