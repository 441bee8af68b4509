/** The moments of a stage at which a worker may die. */
export type Failpoint = 'run_claimed' | 'stage_start_appended' | 'before_execute' | 'after_execute' | 'before_release';

/** Where tests let a worker die. Nothing happens in production. */
export class Failpoints {
  reach(_point: Failpoint, _stageId?: string): void {}
}
