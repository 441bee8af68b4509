import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type EndRecord } from './protocol.js';
import { journalPath } from './run-folder.js';

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
 * Starts and ends of the commands of one run, in the order they happened, one line each in a file that only this runner
 * writes. A line costs next to nothing, where a file for each command would cost more than the command; it is written
 * in one piece, so that a runner which dies leaves the whole line or none.
 */
export class Journal {
  private file: number | undefined;

  constructor(
    private readonly run: string,
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
    this.file ??= openSync(journalPath(this.run, this.runnerId), 'a', 0o600);
    writeSync(this.file, `${JSON.stringify(entry)}\n`);
  }
}

/** What all runners have recorded of one attempt. */
export interface AttemptRecord {
  started?: StartRecord;
  ended?: EndRecord;
}

/** All attempts of a run, by id; none for a run without a folder. */
export function readJournals(run: string): Map<string, AttemptRecord> {
  const attempts = new Map<string, AttemptRecord>();
  for (const entry of entriesOf(run)) {
    const attempt = 'started' in entry ? entry.started.attempt : entry.attempt;
    attempts.set(attempt, { ...attempts.get(attempt), ...entry });
  }
  return attempts;
}

function entriesOf(run: string): Entry[] {
  return namesIn(run)
    .filter((name) => name.startsWith('journal-'))
    .flatMap((name) => readFileSync(join(run, name), 'utf8').split('\n').slice(0, -1))
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
