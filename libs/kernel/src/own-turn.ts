import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a turn of the event loop that nobody else who asked for one has: long computations do not add up to one hold. */
export function ownTurn(): Promise<unknown> {
  return (last = last.then(() => setImmediate()));
}
