import type { SandboxProvider, SandboxRun } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import type { EndedRun } from '#libs/persistence';
import type { Logger } from '#libs/server-runtime';

/** Which of these runs are over, each with its last epoch. Those with an id that the database does not know are not. */
type FindEnded = (runs: readonly SandboxRun[]) => Promise<readonly EndedRun[]>;

/**
 * Removes what ended runs left within reach of this worker: a run that was cancelled while nobody held it, one whose
 * worker was lost right after its end, one that ended on another host. Any number of workers may do it at once. A run
 * that goes on has a later epoch than the one that is asked for, and keeps its sandbox.
 */
export class LeftSandboxes {
  private stopped = false;

  constructor(
    private readonly providers: readonly SandboxProvider[],
    private readonly findEnded: FindEnded,
    private readonly log: Logger,
  ) {}

  async round(): Promise<void> {
    for (const provider of this.providers) {
      for await (const runs of provider.inPlace()) {
        for (const run of await this.findEnded(runs)) {
          if (this.stopped) return;
          await this.remove(provider, run);
        }
      }
    }
  }

  /** Ends the round under way after the sandbox that it is removing. */
  stop(): void {
    this.stopped = true;
  }

  private async remove(provider: SandboxProvider, run: EndedRun): Promise<void> {
    const { tenantId: tenant, runId, epoch } = run;
    const log = this.log.child({ run: runId, tenant, epoch });
    try {
      await provider.remove(run);
      log.info('What an ended run left in its sandbox was removed.');
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'The sandbox of an ended run could not be removed; it is tried again.');
    }
  }
}
