import { describe, expect, it } from '@jest/globals';
import { programFromSource } from '../../../test/support/program-from-source.js';
import { until } from '../../../test/support/until.js';
import { IsolatedWorkError, NoPlaceError, OverBoundsError } from './errors.js';
import { IsolatedWork, type Limits } from './isolated-work.js';

const LIMITS: Limits = { atOnce: 2, mayWait: 0, timeMs: 20_000, heapMb: 64, wasmMb: 16, stackMb: 16, idleMs: 0 };

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Work whose module holds this text. */
function working(text: string, limits: Partial<Limits> = {}): IsolatedWork<unknown, unknown> {
  const module = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  return new IsolatedWork({ ...programFromSource('none'), module }, { ...LIMITS, ...limits });
}

async function thrownBy(text: string, limits?: Partial<Limits>): Promise<unknown> {
  return working(text, limits)
    .run({})
    .catch((thrown: unknown) => thrown);
}

const GROW_WASM = `export default (pages) => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  try { memory.grow(pages); } catch { return 'refused'; }
  return memory.buffer.byteLength;
}`;

describe('isolated work', () => {
  it('returns what its module returns, in a process of its own that knows no variable', async () => {
    const work = working('export default async (input) => ({ ...input, pid: process.pid, env: { ...process.env } })');
    const output = (await work.run({ a: ['ä'] })) as { pid: number };
    expect(output).toEqual({ a: ['ä'], pid: expect.any(Number), env: {} });
    expect(output.pid).not.toBe(process.pid);
    expect(() => process.kill(output.pid, 0)).toThrow('ESRCH');
  });

  it('has the memory of WebAssembly that it may have, and no more', async () => {
    const work = working(GROW_WASM);
    expect(await Promise.all([work.run(255), work.run(256)])).toEqual([16 * 1024 * 1024, 'refused']);
  });

  it('has a stack as large as it is said', async () => {
    const deep =
      'export default (depth) => { const down = (n) => (n === 0 ? 0 : 1 + down(n - 1)); return down(depth); }';
    expect(await working(deep).run(60_000)).toBe(60_000);
  });

  it('is done in one process, piece after piece, where a process may wait for more; a failure ends the process', async () => {
    const counting = `let count = 0; export default (word) => {
      if (word === 'break') throw new Error(word);
      return process.pid + ':' + ++count;
    }`;
    const work = working(counting, { idleMs: 60_000 });
    const [one, two] = [await work.run(''), await work.run('')].map((said) => String(said).split(':'));
    expect([one![1], two]).toEqual(['1', [one![0], '2']]);
    await expect(work.run('break')).rejects.toThrow(IsolatedWorkError);
    const [other, count] = String(await work.run('')).split(':');
    expect([other === one![0], count]).toEqual([false, '1']);
    work.close();
    await until(() => !isThere(Number(other)), 'the process ends', 5_000);
  });

  it('begins a process of its own where the one that waits has died, or has waited long enough', async () => {
    const work = working('export default () => process.pid', { idleMs: 300 });
    const first = Number(await work.run({}));
    process.kill(first, 'SIGKILL');
    await until(() => !isThere(first), 'the process dies', 5_000);
    const second = Number(await work.run({}));
    expect(second).not.toBe(first);
    await until(() => !isThere(second), 'the process has waited long enough', 5_000);
    work.close();
  });

  it.each([
    ['time', 'export default () => { for (;;); }', { timeMs: 1_500 }],
    ['memory', 'export default () => { const all = []; for (;;) all.push(new Array(1e6).fill({})); }', {}],
    ['memory', 'export default () => { process.kill(process.pid, "SIGKILL"); for (;;); }', {}],
  ])('ends where it takes more %s than it may', async (by, text, limits) => {
    const thrown = await thrownBy(text, limits);
    expect(thrown).toBeInstanceOf(OverBoundsError);
    expect(thrown).toMatchObject({ by });
  });

  it.each([
    ['throws', 'export default () => { throw new Error("broken"); }', 'broken'],
    ['is no module', 'export default ]', 'Unexpected token'],
    ['returns what cannot be handed over', 'export default () => () => 1', 'could not be cloned'],
  ])('is a defect when it %s', async (_, text, message) => {
    const thrown = await thrownBy(text);
    expect(thrown).toBeInstanceOf(IsolatedWorkError);
    expect(String(thrown)).toContain(message);
  });

  it('is refused when too much waits, and when it is closed; what is at work is killed', async () => {
    const work = working('export default () => { for (;;); }', { atOnce: 1, mayWait: 1 });
    const [one, two] = [work.run({}), work.run({})].map((run) => run.catch((thrown: unknown) => thrown));
    await expect(work.run({})).rejects.toThrow(NoPlaceError);
    work.close();
    expect(await Promise.all([one, two])).toEqual([expect.any(NoPlaceError), expect.any(NoPlaceError)]);
    await expect(work.run({})).rejects.toThrow('stopping');
  });
});
