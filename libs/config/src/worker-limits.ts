/** What the runs of one worker process may have at work and in memory, whatever their workflows want. */
export interface WorkerLimits {
  /** Stages that are at work at once, of all runs. */
  readonly stages: number;
  /** The same of one run. */
  readonly stagesPerRun: number;
  /** For outputs, lists and other large values that are being read or kept. */
  readonly valueMemoryBytes: number;
}

export const MIB = 1024 * 1024;

/** Of a server whose settings say nothing. */
export const DEFAULT_WORKER_LIMITS: WorkerLimits = { stages: 256, stagesPerRun: 64, valueMemoryBytes: 256 * MIB };
