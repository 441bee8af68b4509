import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IsolatedWorkError, OverBoundsError } from './errors.js';
import type { Bounds, Program, Report, Task } from './program.js';

const COMPILED_MAIN = new URL('./isolated-main.js', import.meta.url);
const PAGE_KIB = 64;
/** How much of what a process complained about is kept. */
const COMPLAINT_CHARACTERS = 2_000;

/**
 * Executes a program with this input in a process of its own and returns its output. The process is gone when this
 * settles. Throws {@link OverBoundsError} where it takes more than it may, and {@link IsolatedWorkError} where
 * the work throws or the process dies of something else; an abort of the signal kills it and is thrown as its reason.
 */
export async function runInProcess(program: Program, bounds: Bounds, input: unknown, signal: AbortSignal) {
  signal.throwIfAborted();
  const limit = AbortSignal.timeout(bounds.timeMs);
  const stop = AbortSignal.any([signal, limit]);
  const child = launch(program, bounds);
  try {
    const { module } = program;
    const { stackMb, heapMb } = bounds;
    const report = reportOf(child, stop);
    // A process that cannot be told anything is dead, and reported as such.
    child.send({ module: module.href, input, stackMb, heapMb } satisfies Task, () => undefined);
    const said = await report;
    if ('output' in said) return said.output;
    if ('over' in said) throw new OverBoundsError(said.over, { cause: said.why });
    throw new IsolatedWorkError(said.thrown);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw limit.aborted ? new OverBoundsError('time', { cause: thrown }) : thrown;
  } finally {
    await endOf(child);
  }
}

/** Kills what is still there, and waits until its memory is free. */
async function endOf(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The environment stays behind: work needs no secret of the server. */
function launch({ main = COMPILED_MAIN, execArgv = [] }: Program, { heapMb, wasmMb }: Bounds): ChildProcess {
  return fork(main, {
    execArgv: [...execArgv, `--max-old-space-size=${heapMb}`, `--wasm-max-mem-pages=${(wasmMb * 1024) / PAGE_KIB}`],
    env: {},
    cwd: dirname(fileURLToPath(main)),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** What the process reports, however it ends. A signal that nobody of us sent means that it took more than there was. */
async function reportOf(child: ChildProcess, signal: AbortSignal): Promise<Report> {
  let complaint = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-COMPLAINT_CHARACTERS);
  });
  const ended = once(child, 'close', { signal }) as Promise<[code: number | null, signal: string | null]>;
  const said = once(child, 'message', { signal }) as Promise<[Report]>;
  return Promise.race([
    said.then(([report]) => report),
    ended.then(([code, killedBy]): Report => {
      const why = `The process ended with ${killedBy ?? `exit code ${code}`}: ${complaint}`;
      return killedBy === null ? { thrown: why } : { over: 'memory', why };
    }),
  ]);
}
