import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** The path of a program, as a shell finds it on this search path; undefined when there is none that may be executed. */
export function findProgram(name: string, searchPath = ''): string | undefined {
  return searchPath
    .split(':')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
