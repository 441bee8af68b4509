import { Environment } from '@huggingface/jinja';

const MAX_RANGE = 100_000;

/** What every template can name: the constants, and `range`. There is no clock and no way to the host. */
export function globals(): Environment {
  const environment = new Environment();
  for (const [name, value] of [['true', true] as const, ['false', false] as const, ['none', null] as const]) {
    environment.set(name, value);
    environment.set(name[0]!.toUpperCase() + name.slice(1), value);
  }
  environment.set('range', range);
  return environment;
}

/** As in Python: up to `stop`, from `start` to `stop`, or in steps. */
function range(...limits: unknown[]): number[] {
  if (limits.length < 1 || limits.length > 3 || !limits.every(Number.isSafeInteger)) {
    throw new Error('range takes one to three whole numbers');
  }
  const [first, second, step = 1] = limits as [number, number?, number?];
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw new Error('range cannot go on in steps of 0');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > MAX_RANGE) throw new Error(`range gives at most ${MAX_RANGE} numbers`);
  return Array.from({ length }, (_, at) => start + at * step);
}
