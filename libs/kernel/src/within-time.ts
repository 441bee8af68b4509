import { runInNewContext } from 'node:vm';

/**
 * Computes something that others wrote the rules for, and gives it up when it takes longer than that: a worker that
 * computes cannot renew its leases. Throws whatever `compute` throws.
 */
export function withinTime<T>(limitMs: number, compute: () => T): T {
  try {
    return runInNewContext('compute()', { compute }, { timeout: limitMs }) as T;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
    throw new Error(`this takes longer than ${limitMs} ms`);
  }
}
