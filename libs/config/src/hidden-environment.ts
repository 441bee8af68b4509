import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** By these the processes of a run are found, also a server that a command of a run has started. */
const MARKS = ['RUNYARD_SANDBOX', 'RUNYARD_EPOCH', 'RUNYARD_ATTEMPT_ID'];
/** Of `/proc/<pid>/stat`, counted behind the name: where in its memory the environment of a process begins and ends. */
const [BEGIN, END] = [47, 48];

/**
 * Hides the environment that this process was started with: on Linux every process of the same user, so every command of
 * a `local` run, may read it in `/proc/<pid>/environ`, whatever becomes of `process.env`. For this process nothing
 * changes: each variable gets a copy elsewhere first. False where the system keeps it readable.
 */
export function hideEnvironment(): boolean {
  for (const [name, value] of Object.entries(process.env)) {
    delete process.env[name];
    process.env[name] = value;
  }
  if (process.platform !== 'linux') return false;
  try {
    overwrite();
    return readFileSync('/proc/self/environ', 'latin1')
      .split('\0')
      .every((entry) => entry === '' || isMark(entry));
  } catch {
    return false;
  }
}

function overwrite(): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const begin = Number(fields[BEGIN]);
  const entries = readFileSync('/proc/self/environ', 'latin1')
    .slice(0, Number(fields[END]) - begin)
    .split('\0');
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    let at = begin;
    for (const entry of entries) {
      if (!isMark(entry)) writeSync(memory, Buffer.alloc(entry.length), 0, entry.length, at);
      at += entry.length + 1;
    }
  } finally {
    closeSync(memory);
  }
}

function isMark(entry: string): boolean {
  return MARKS.some((name) => entry.startsWith(`${name}=`));
}
