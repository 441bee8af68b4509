import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the installed package: the nearest one above this file that holds its package.json. */
export function packageRoot(): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (contentOf(directory)?.name !== 'runyard') directory = path.dirname(directory);
  return directory;
}

export function packageVersion(): string {
  return contentOf(packageRoot())!.version;
}

function contentOf(directory: string): { name?: string; version: string } | undefined {
  const file = path.join(directory, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version: string }) : undefined;
}
