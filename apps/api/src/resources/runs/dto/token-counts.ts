import { Integer } from '../../../edge/schema/decorators.js';

export const BILLING_SPEEDS = ['standard', 'fast'] as const;
export type BillingSpeed = (typeof BILLING_SPEEDS)[number];

/** Five separate buckets and their sum. A price of null means that it is not known. */
export class BilledTokenCounts {
  @Integer({ format: 'int64' }) input_tokens!: number;
  @Integer({ format: 'int64' }) output_tokens!: number;
  @Integer({ format: 'int64' }) total_tokens!: number;
  @Integer({ format: 'int64' }) reasoning_tokens!: number;
  @Integer({ format: 'int64' }) cache_read_tokens!: number;
  @Integer({ format: 'int64' }) cache_write_tokens!: number;
  @Integer({ format: 'int64', optional: true, nullable: true }) total_usd_micros?: number | null;
}
