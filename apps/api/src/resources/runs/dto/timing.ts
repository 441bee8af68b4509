import { Integer } from '../../../edge/schema/decorators.js';

/** Active time is inference plus tool time, summed over stages; with parallel branches it can exceed wall time. */
export class RunTiming {
  @Integer({ min: 0, format: 'uint64' }) wall_time_ms!: number;
  @Integer({ min: 0, format: 'uint64', default: 0 }) inference_time_ms!: number;
  @Integer({ min: 0, format: 'uint64', default: 0 }) tool_time_ms!: number;
  @Integer({ min: 0, format: 'uint64' }) active_time_ms!: number;
}

/** The same four measures for one stage or one node. */
export class StageTiming extends RunTiming {}
