/** The moments of a stage at which a worker may die, in their order. */
export type Failpoint =
  /** The run is claimed, and nothing was said about it. */
  | 'run_claimed'
  /** The start of the stage is durable. */
  | 'stage_start_appended'
  /** The sandbox is asked for. */
  | 'before_execute'
  /** What is executed gave a sign of life. */
  | 'executing'
  /** What was executed has ended, and nobody else knows. */
  | 'after_execute'
  /** The large values of the outcome are kept, the outcome itself is not. */
  | 'values_kept'
  /** An outcome, its checkpoint and the start of the next stage are durable. */
  | 'outcome_appended'
  /** Everything is done, and the end of the run is not durable. */
  | 'before_release';

/** Where tests let a worker die. Nothing happens in production. */
export class Failpoints {
  reach(_point: Failpoint, _stageId?: string): void {}
}
