import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '#libs/kernel';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { fileProblem } from '../server/file-problem.js';
import type { Surroundings } from '../session.js';
import { fileTextOf } from './text-of.js';

/** The path that stands for standard input. */
export const STDIN = '-';
/** Folders whose files are somebody else's. */
const NOT_OURS: ReadonlySet<string> = new Set(['node_modules', '.git']);

export interface WorkflowSource {
  /** As it was typed, or its path in the folder that was typed. */
  workflow: string;
  source: string;
}

/**
 * The workflows that are meant by paths: files as they are, folders for every `.dot` file in them, `-` for standard
 * input. Throws a {@link CliError} that names what is missing, cannot be read or is no text.
 */
export async function workflowSources(
  paths: readonly string[],
  { cwd, stdin }: Pick<Surroundings, 'cwd' | 'stdin'>,
): Promise<WorkflowSource[]> {
  const sources: WorkflowSource[] = [];
  for (const typed of paths) {
    if (typed === STDIN) {
      sources.push({ workflow: STDIN, source: fileTextOf(await bytesOf(stdin), 'Standard input') });
      continue;
    }
    for await (const workflow of filesOf(cwd, typed)) {
      const bytes = await readable(workflow, readFile(path.resolve(cwd, workflow)));
      sources.push({ workflow, source: fileTextOf(bytes, workflow) });
    }
  }
  return sources;
}

async function* filesOf(cwd: string, typed: string): AsyncGenerator<string> {
  const found = await readable(typed, stat(path.resolve(cwd, typed)));
  if (found.isDirectory()) yield* workflowsIn(cwd, typed);
  else yield typed;
}

/** In the order of their names. Links are not followed, so that no circle of them is walked. */
async function* workflowsIn(cwd: string, folder: string): AsyncGenerator<string> {
  const entries = await readable(folder, readdir(path.resolve(cwd, folder), { withFileTypes: true }));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = path.join(folder, entry.name);
    if (entry.isDirectory() && !NOT_OURS.has(entry.name)) yield* workflowsIn(cwd, inside);
    else if (entry.isFile() && entry.name.endsWith('.dot')) yield inside;
  }
}

async function readable<T>(file: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    const problem = fileProblem(thrown) ?? `cannot be read: ${messageOf(thrown)}`;
    const message = isMissing ? `There is no workflow ${file}.` : `${file} ${problem}.`;
    throw new CliError(message, exitCodes.misuse, 'Give the path of a .dot file or of a folder.');
  }
}

async function bytesOf(stdin: Surroundings['stdin']): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
