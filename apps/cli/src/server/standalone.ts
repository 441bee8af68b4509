import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '#libs/config';
import { exitCodes } from './exit-code.js';
import { CliError } from './fault.js';

/** The program that is a whole server: API, scheduler, worker and, unless another is named, a database. */
export function standaloneProgram(): string {
  const program = path.join(packageRoot(), 'dist/apps/standalone/src/main.js');
  if (existsSync(program)) return program;
  throw new CliError(`${program} is missing.`, exitCodes.failed, 'Build it with: npm run build');
}
