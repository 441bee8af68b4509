import type { AttemptResult, HookWork, Verdict } from '#libs/engine';

/** What a driver is told while it drives a run. */
export type Message =
  | { kind: 'finished'; path: string; stageId: string; result: AttemptResult }
  | { kind: 'hooked'; work: HookWork; verdict: Verdict }
  | { kind: 'cancel' }
  /** Others appended to the log. */
  | { kind: 'heard' }
  | { kind: 'stalled' }
  | { kind: 'hand_over' };
