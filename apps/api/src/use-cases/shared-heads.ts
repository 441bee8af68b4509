import type { RunKey } from '#libs/engine';

interface Batch<Head> {
  readonly runs: Map<string, RunKey>;
  readonly heads: Promise<ReadonlyMap<string, Head>>;
}

/**
 * Reads the heads of runs, one query at a time: those that are asked for while a query is on its way share the next one.
 * So a storm of readers costs a few queries, and each of them sees what was committed before it asked.
 */
export class SharedHeads<Head extends RunKey> {
  private gathering: Batch<Head> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly read: (runs: readonly RunKey[]) => Promise<readonly Head[]>) {}

  /** Undefined for a run that does not exist. */
  async of(run: RunKey): Promise<Head | undefined> {
    const batch = (this.gathering ??= this.gather());
    batch.runs.set(keyOf(run), run);
    return (await batch.heads).get(keyOf(run));
  }

  private gather(): Batch<Head> {
    const runs = new Map<string, RunKey>();
    const heads = this.last.then(async () => {
      this.gathering = undefined;
      return new Map((await this.read([...runs.values()])).map((head) => [keyOf(head), head]));
    });
    this.last = heads.catch(() => undefined);
    return { runs, heads };
  }
}

function keyOf({ tenantId, runId }: RunKey): string {
  return `${tenantId}\n${runId}`;
}
