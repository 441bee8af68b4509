import type { AttemptResult, HookWork, HookDecision } from '#libs/engine';

/** What a driver is told while it drives a run. */
export type Message =
  | { kind: 'finished'; path: string; stageId: string; result: AttemptResult }
  | { kind: 'hooks_decided'; work: HookWork; decision: HookDecision }
  | { kind: 'cancel' }
  /** Others appended to the log. */
  | { kind: 'heard' }
  | { kind: 'stalled' }
  | { kind: 'hand_over' };
