import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxUnavailableError } from '#libs/engine';
import { readJournals } from '../runner/journal.js';
import { isAlive, MarkedProcesses, type ProcessMark, signal, signalGroup } from '../runner/processes.js';
import { type RunnerAddress } from './runner-process.js';

/** A command of a run, as its record or the marks of its processes show it. */
export type Leftover = Pick<ProcessMark, 'attempt' | 'epoch'>;

/**
 * Kills the processes of a run that no runner watches over: by the recorded group leader, unless its pid has passed to
 * another process, and by their marks. Resolves when they are dead, rejects when one would not die.
 */
export async function killLeftovers(runFolder: string, isWanted: (command: Leftover) => boolean): Promise<void> {
  for (const { started, ended } of readJournals(runFolder).values()) {
    if (!started || ended || !isWanted(started)) continue;
    if (isAlive(started.pid, started.startedAt)) signalGroup(started.pid, 'SIGKILL');
  }
  const areDead = await new MarkedProcesses().kill((mark) => mark.sandbox === runFolder && isWanted(mark));
  if (!areDead) throw new SandboxUnavailableError('Processes of an earlier epoch could not be killed.');
}

/**
 * Makes sure that a runner which cannot be reached, or does not answer, starts nothing any more; resolves when it is
 * dead. Where the system does not tell one process from a later one with its pid, it is taken to be dead already.
 */
export async function killRunner({ pid, startedAt }: RunnerAddress): Promise<void> {
  if (startedAt === undefined) return;
  for (let tries = 0; isAlive(pid, startedAt); tries += 1) {
    if (tries === 200) throw new SandboxUnavailableError('The runner of an earlier epoch could not be killed.');
    signal(pid, 'SIGKILL');
    await sleep(10);
  }
}
