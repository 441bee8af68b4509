import { IsolatedWork, OverBoundsError, type Limits, type Program } from '#libs/isolation';
import type { TenantId } from '#libs/kernel';
import { CutShortError, ManifestTooLargeError } from './errors.js';
import { manifestWeight } from './manifest-weight.js';
import { SharedTurn } from './shared-turn.js';
import { outputOf, type TaskOutcome, type Task, type TaskInput } from './task.js';

/** What is compiled within a few tens of milliseconds whatever it says, in characters. */
const LIGHT = 16 * 1024;

const LIMITS: Limits = { atOnce: 2, mayWait: 64, timeMs: 15_000, heapMb: 256, wasmMb: 1, stackMb: 4, idleMs: 60_000 };

/** What the process of a heavy manifest is told; the input is JSON, which is cheaper to hand over than objects are. */
export interface HeavyTask {
  name: string;
  input: string;
  server: unknown;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Each task has an input and an output of its own.
type AnyTask = Task<any, unknown, any>;

/**
 * Does what manifests have to be compiled for. A light one is compiled at once; a heavy one, or one of which a short text
 * asks for a lot, in a process with bounds of its own, so that it holds nobody else up.
 */
export class Compiling<Tasks extends Record<string, AnyTask>, Server> {
  private readonly heavy: IsolatedWork<HeavyTask, TaskOutcome>;
  private readonly light = new SharedTurn();

  constructor(
    private readonly tasks: Tasks,
    private readonly server: Server,
    program: Program,
    limits: Partial<Limits> = {},
  ) {
    this.heavy = new IsolatedWork(program, { ...LIMITS, ...limits });
  }

  isHeavy(manifest: TaskInput['manifest']): boolean {
    return manifestWeight(manifest) > LIGHT;
  }

  /**
   * What the task returns, or throws. Where heavy manifests wait, each tenant has a turn. Throws a {@link ManifestTooLargeError} when it takes more time or memory than it may,
   * and a {@link NoPlaceError} when too many heavy manifests of this tenant wait already.
   */
  async run<Name extends keyof Tasks & string>(
    name: Name,
    input: Parameters<Tasks[Name]>[0] & TaskInput,
    tenantId: TenantId,
  ): Promise<ReturnType<Tasks[Name]>> {
    const { manifest }: TaskInput = input;
    if (!this.isHeavy(manifest)) {
      try {
        return await this.light.run(() => this.tasks[name]!(input, this.server, 'brief') as ReturnType<Tasks[Name]>);
      } catch (thrown) {
        if (!(thrown instanceof CutShortError)) throw thrown;
      }
    }
    const outcome = await this.heavy
      .run({ name, input: JSON.stringify(input), server: this.server }, tenantId)
      .catch((thrown: unknown) => {
        throw thrown instanceof OverBoundsError ? new ManifestTooLargeError(thrown) : thrown;
      });
    return outputOf(outcome) as ReturnType<Tasks[Name]>;
  }

  /** Ends what is being compiled; later heavy manifests are refused. */
  close(): void {
    this.heavy.close();
  }
}
