import { closeSync, openSync, writeSync } from 'node:fs';
import { type EndRecord } from './protocol.js';
import { epochFolder, epochsIn, journalPath, journalPathsIn, readText } from './run-folder.js';

/** What is needed to find the processes of a command whose runner is gone. */
export interface StartRecord {
  attempt: string;
  epoch: number;
  /** The leader of the command's process group and session. */
  pid: number;
  /** Tells this process from a later one with the same pid; absent where the system does not tell. */
  startedAt?: string;
  timeoutMs: number;
}

type Entry = { started: StartRecord } | { attempt: string; ended: EndRecord };

/**
 * Starts and ends of the commands that an epoch of a run started, in the order they happened, one line each in a file
 * that only this runner writes. A line costs next to nothing, where a file for each command would cost more than the command; it is written
 * in one piece, so that a runner which dies leaves the whole line or none.
 */
export class Journal {
  private file: number | undefined;

  constructor(
    /** The folder of the epoch. */
    private readonly epoch: string,
    private readonly runnerId: string,
  ) {}

  started(started: StartRecord): void {
    this.append({ started });
  }

  ended(attempt: string, ended: EndRecord): void {
    this.append({ attempt, ended });
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  private append(entry: Entry): void {
    this.file ??= openSync(journalPath(this.epoch, this.runnerId), 'a', 0o600);
    writeSync(this.file, `${JSON.stringify(entry)}\n`);
  }
}

/** What all runners have recorded of one attempt. */
export interface AttemptRecord {
  /** The folder of the epoch that started it. */
  epoch: string;
  started?: StartRecord;
  ended?: EndRecord;
}

/** All attempts of a run, by id; none for a run without a folder. */
export function readJournals(run: string): Map<string, AttemptRecord> {
  const attempts = new Map<string, AttemptRecord>();
  for (const number of epochsIn(run)) {
    const epoch = epochFolder(run, number);
    for (const entry of entriesOf(epoch)) {
      const attempt = 'started' in entry ? entry.started.attempt : entry.attempt;
      attempts.set(attempt, { ...attempts.get(attempt), ...entry, epoch });
    }
  }
  return attempts;
}

function entriesOf(epoch: string): Entry[] {
  return journalPathsIn(epoch)
    .flatMap((path) => (readText(path) ?? '').split('\n').slice(0, -1))
    .map(parse)
    .filter((entry) => entry !== undefined);
}

/** A full disk may cut a line: then nothing is known of that attempt, which is what a caller has to expect anyway. */
function parse(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}
