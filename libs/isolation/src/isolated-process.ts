import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IsolatedWorkError, OverBoundsError } from './errors.js';
import type { Bounds, Program, ProgramReport, IsolatedTask } from './program.js';

const COMPILED_MAIN = new URL('./isolated-main.js', import.meta.url);
const PAGE_KIB = 64;
/** How much of what a process complained about is kept. */
const COMPLAINT_CHARACTERS = 2_000;

/** A process that executes a program, one piece of work after another. */
export class IsolatedProcess {
  private readonly child: ChildProcess;
  private complaint = '';

  constructor(
    private readonly program: Program,
    private readonly bounds: Bounds,
  ) {
    this.child = launch(program, bounds);
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.complaint = (this.complaint + text).slice(-COMPLAINT_CHARACTERS);
    });
    // A process that could not be started says so here, and reports nothing.
    this.child.on('error', (error) => (this.complaint += error.message));
  }

  get isAlive(): boolean {
    const { pid, exitCode, signalCode, connected } = this.child;
    return pid !== undefined && exitCode === null && signalCode === null && connected;
  }

  /**
   * The output for this input. Throws {@link OverBoundsError} where the work takes more than it may, and
   * {@link IsolatedWorkError} where it throws or the process dies of something else; an abort of the signal is thrown as
   * its reason. Whoever sees it throw has to {@link end} the process: the work may still go on in it.
   */
  async run(input: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const limit = AbortSignal.timeout(this.bounds.timeMs);
    const { stackMb, heapMb } = this.bounds;
    const settled = new AbortController();
    try {
      const report = this.reportOf(AbortSignal.any([signal, limit, settled.signal]));
      // A process that cannot be told anything is dead, and reported as such.
      this.child.send(
        { module: this.program.module.href, input, stackMb, heapMb } satisfies IsolatedTask,
        () => undefined,
      );
      const said = await report;
      if ('output' in said) return said.output;
      if ('over' in said) throw new OverBoundsError(said.over, { cause: said.why });
      throw new IsolatedWorkError(said.thrown);
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      throw limit.aborted ? new OverBoundsError('time', { cause: thrown }) : thrown;
    } finally {
      settled.abort();
    }
  }

  /** Whether the process keeps its parent's from ending. */
  holdParent(isHeld: boolean): void {
    const change = isHeld ? 'ref' : 'unref';
    this.child[change]();
    this.child.channel?.[change]();
    (this.child.stderr as unknown as { ref(): void; unref(): void })[change]();
  }

  /** Kills what is still there, and waits until its memory is free. */
  async end(): Promise<void> {
    const { child } = this;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** What the process reports, however it ends. A signal that nobody of us sent means that it took more than there was. */
  private async reportOf(signal: AbortSignal): Promise<ProgramReport> {
    const ended = once(this.child, 'close', { signal }) as Promise<[code: number | null, signal: string | null]>;
    const said = once(this.child, 'message', { signal }) as Promise<[ProgramReport]>;
    return Promise.race([
      said.then(([report]) => report),
      ended.then(([code, killedBy]): ProgramReport => {
        const why = `The process ended with ${killedBy ?? `exit code ${code}`}: ${this.complaint}`;
        return killedBy === null ? { thrown: why } : { over: 'memory', why };
      }),
    ]);
  }
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
