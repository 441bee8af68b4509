import { accessSync, constants, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux takes no argument longer than this; a longer script goes through a file. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

export interface CommandLine {
  executable: string;
  args: string[];
}

/** What runs a script: a non-login bash (or sh, where there is no bash on the path), or python3. */
export function commandLine(
  { language, script }: { language: 'shell' | 'python'; script: string },
  searchPath: string | undefined,
  scriptFile: string,
): CommandLine {
  const executable = language === 'python' ? 'python3' : shellOn(searchPath);
  if (Buffer.byteLength(script) <= MAX_ARGUMENT_BYTES) return { executable, args: ['-c', script] };

  writeFileSync(scriptFile, script, { mode: 0o600 });
  return { executable, args: [scriptFile] };
}

const shells = new Map<string, 'bash' | 'sh'>();

function shellOn(searchPath = ''): 'bash' | 'sh' {
  const known = shells.get(searchPath);
  if (known) return known;
  const shell = searchPath.split(':').some((folder) => isExecutable(join(folder, 'bash'))) ? 'bash' : 'sh';
  shells.set(searchPath, shell);
  return shell;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
