import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, markOf, processStart, signal } from './processes.js';

/** A command whose main process works, with what its processes are known by. */
export interface RunningCommand {
  /** The folder of the run. */
  run: string;
  attempt: string;
  /** When its main process began, in the system's own count. */
  startedAt: string | undefined;
  /** The path of the pipe that it writes to. */
  pipe: string;
}

const MOST_TRIES = 100;

/**
 * Ends processes that left their command: without its group, its session and its environment they still have the reaper
 * for a parent once their own has ended, and nobody changes that. What still carries the marks of a command, or holds its
 * pipe, is that command's. What shows neither belongs to one of the commands that worked when it began, so it ends with the
 * last of these. Without a reaper there are no such processes to be seen.
 */
export class Strays {
  private readonly running = new Set<RunningCommand>();

  constructor(
    private readonly reaper: number | undefined,
    /** The folder of all pipes of the runner. */
    private readonly pipes: string,
  ) {}

  add(command: RunningCommand): void {
    this.running.add(command);
  }

  /** Resolves when nothing is left that belongs to no other running command; what may not be signalled stays. */
  async endWith(command: RunningCommand): Promise<void> {
    this.running.delete(command);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const strays = this.orphans().filter((pid) => this.isStray(pid) && signal(pid, 'SIGKILL'));
      if (strays.length === 0) return;
      await sleep(tries < 10 ? 1 : 10);
    }
  }

  /** The children of the reaper, but for the runner; one that is dead is about to be collected. */
  private orphans(): number[] {
    if (this.reaper === undefined) return [];
    return childrenOf(this.reaper).filter((pid) => pid !== process.pid);
  }

  private isStray(pid: number): boolean {
    const startedAt = processStart(pid);
    if (startedAt === undefined || !isAlive(pid, startedAt)) return false;
    const running = [...this.running];
    const mark = markOf(pid);
    if (mark) return !running.some(({ run, attempt }) => run === mark.sandbox && attempt === mark.attempt);
    const held = filesOf(pid).filter((file) => file.startsWith(this.pipes));
    if (held.length > 0) return !running.some(({ pipe }) => held.includes(pipe));
    return !running.some((one) => Number(one.startedAt) <= Number(startedAt));
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** What a process has open; nothing of one that ends meanwhile, or that is somebody else's. */
function filesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
  } catch {
    return [];
  }
}
