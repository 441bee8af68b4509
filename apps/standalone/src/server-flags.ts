import { parseArgs } from 'node:util';
import { ConfigError, type ServerFlags } from '#libs/config';
import { messageOf } from '#libs/kernel';

/** The start options of a server process. */
export function serverFlags(args: readonly string[]): ServerFlags & { config?: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        bind: { type: 'string' },
        model: { type: 'string' },
        environment: { type: 'string' },
        'max-concurrent-runs': { type: 'string' },
        config: { type: 'string' },
      },
    });
    const { 'max-concurrent-runs': limit, ...rest } = values;
    return { ...rest, ...(limit !== undefined && { maxConcurrentRuns: wholeNumber(limit) }) };
  } catch (thrown) {
    throw thrown instanceof ConfigError ? thrown : new ConfigError(messageOf(thrown));
  }
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 10_000) return number;
  throw new ConfigError(`--max-concurrent-runs is "${text}"; give a whole number from 1 to 10000.`);
}
