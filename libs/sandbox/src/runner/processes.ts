import { closeSync, openSync, readFileSync, readSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The marks every process of a command inherits, by which it is found even when it left the command's group. */
export const MARKS = {
  sandbox: 'RUNYARD_SANDBOX',
  epoch: 'RUNYARD_EPOCH',
  attempt: 'RUNYARD_ATTEMPT_ID',
} as const;

export interface ProcessMark {
  /** The folder of the run. */
  sandbox: string;
  epoch: number;
  attempt: string;
}

/** Sends a signal; false when there is no such process, or none that this user may signal. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

export function signalGroup(leader: number, name: NodeJS.Signals): boolean {
  return signal(-leader, name);
}

/** When a process began, in the system's own count; with the pid it names one process. `undefined` outside Linux. */
export function processStart(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

/** True while this very process works: neither a later one with its pid, nor one that is dead and not yet collected. */
export function isAlive(pid: number, startedAt: string | undefined): boolean {
  if (startedAt === undefined) return signal(pid, 0 as unknown as NodeJS.Signals);
  const fields = statFields(pid);
  return fields !== undefined && fields[19] === startedAt && fields[0] !== 'Z';
}

export function groupOf(pid: number): number | undefined {
  const group = statFields(pid)?.[2];
  return group === undefined ? undefined : Number(group);
}

/** The fields of `/proc/<pid>/stat` after the name, which may itself hold spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/**
 * Finds processes by the marks in their environment, on Linux; elsewhere it finds none. It remembers what it has read,
 * so that a look costs one listing of `/proc` and one read for each process that is new. Those that wiped their
 * environment *and* left their group are not among them.
 */
export class MarkedProcesses {
  private known = new Map<number, ProcessMark | undefined>();

  find(isWanted: (mark: ProcessMark) => boolean): number[] {
    const seen = new Map<number, ProcessMark | undefined>();
    const found: number[] = [];
    for (const pid of allPids()) {
      const known = this.known.has(pid);
      const mark = known ? this.known.get(pid) : markOf(pid);
      seen.set(pid, mark);
      if (mark && isWanted(mark) && (!known || markOf(pid))) found.push(pid);
    }
    this.known = seen;
    return found;
  }

  /** Kills what is marked so until nothing is left, however fast it forks. False when something would not die. */
  async kill(isWanted: (mark: ProcessMark) => boolean): Promise<boolean> {
    for (let tries = 0; tries < 500; tries += 1) {
      const pids = this.find(isWanted);
      if (pids.length === 0) return true;
      pids.forEach((pid) => signal(pid, 'SIGKILL'));
      await sleep(tries < 10 ? 1 : 10);
    }
    return false;
  }
}

function allPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

const buffer = Buffer.alloc(64 * 1024);

/** The marks of a process; none when it is dead, belongs to somebody else or never had them. */
export function markOf(pid: number): ProcessMark | undefined {
  const environment = environmentOf(pid);
  if (!environment?.includes(MARKS.sandbox)) return undefined;
  const values = new Map(environment.split('\0').map((entry) => split(entry)));
  const [sandbox, epoch, attempt] = [MARKS.sandbox, MARKS.epoch, MARKS.attempt].map((name) => values.get(name));
  return sandbox === undefined || attempt === undefined ? undefined : { sandbox, attempt, epoch: Number(epoch) };
}

function environmentOf(pid: number): string | undefined {
  try {
    const path = `/proc/${pid}/environ`;
    const file = openSync(path, 'r');
    try {
      const length = readSync(file, buffer);
      return length < buffer.length ? buffer.toString('utf8', 0, length) : readFileSync(path, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function split(entry: string): [string, string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at), entry.slice(at + 1)];
}
