import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodes } from './exit-code.js';
import { CliError } from './fault.js';

/** The folder of the installed package: the nearest one above this file that holds its package.json. */
export function packageRoot(): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!isPackage(directory)) directory = path.dirname(directory);
  return directory;
}

/** The program that is a whole server: API, scheduler, worker and, unless another is named, a database. */
export function standaloneProgram(): string {
  const program = path.join(packageRoot(), 'dist/apps/standalone/src/main.js');
  if (existsSync(program)) return program;
  throw new CliError(`${program} is missing.`, exitCodes.failed, 'Build it with: npm run build');
}

function isPackage(directory: string): boolean {
  const file = path.join(directory, 'package.json');
  return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'runyard';
}
