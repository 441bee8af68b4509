import { fchmodSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { findProgram } from './find-program.js';

/** Linux takes no argument longer than this; a longer script goes through a file. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

export interface CommandLine {
  executable: string;
  args: string[];
  /** A long script, to be handed to the process as its fourth open file, and closed. */
  scriptFile?: number;
}

const FOURTH_FILE = '/dev/fd/3';

/** What runs a script: a non-login bash (or sh, where there is no bash on the path), or python3. */
export function commandLine(
  { language, script }: { language: 'shell' | 'python'; script: string },
  searchPath: string | undefined,
  scriptFile: string,
): CommandLine {
  const executable = language === 'python' ? 'python3' : shellOn(searchPath);
  if (Buffer.byteLength(script) <= MAX_ARGUMENT_BYTES) return { executable, args: ['-c', script] };

  return { executable, args: [FOURTH_FILE], scriptFile: openUnnamed(scriptFile, script) };
}

/** A file that loses its name at once. Every process that is handed it may read it, also one of another user. */
function openUnnamed(path: string, text: string): number {
  writeFileSync(path, text, { mode: 0o600 });
  const file = openSync(path, 'r');
  rmSync(path);
  fchmodSync(file, 0o444);
  return file;
}

const shells = new Map<string, 'bash' | 'sh'>();

function shellOn(searchPath = ''): 'bash' | 'sh' {
  const known = shells.get(searchPath);
  if (known) return known;
  const shell = findProgram('bash', searchPath) === undefined ? 'sh' : 'bash';
  shells.set(searchPath, shell);
  return shell;
}
