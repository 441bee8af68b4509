import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildIn, type Build } from '../support/standalone.js';

const run = promisify(execFile);
/** How far an older version may lie back. */
const MAX_COMMITS = 25;

/** A build of the oldest of the last commits that has the migrations of today; undefined outside a git checkout. */
export async function olderBuild(): Promise<(Build & { commit: string; remove(): Promise<void> }) | undefined> {
  const commit = await olderCommit().catch(() => undefined);
  if (commit === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'runyard-older-'));
  await run('bash', ['-c', `git archive ${commit} | tar -x -C "${folder}"`]);
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  for (const script of ['generate', 'build']) await run(process.execPath, [`scripts/${script}.mjs`], { cwd: folder });
  return {
    ...buildIn(folder),
    commit,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function olderCommit(): Promise<string> {
  const { stdout } = await run('git', ['rev-list', `--max-count=${MAX_COMMITS}`, 'HEAD']);
  const schemas = await Promise.all(
    stdout
      .trim()
      .split('\n')
      .map(async (commit) => ({ commit, schema: await treeOf(commit) })),
  );
  const differs = schemas.findIndex(({ schema }) => schema !== schemas[0]!.schema);
  return schemas.at(differs === -1 ? -1 : differs - 1)!.commit;
}

async function treeOf(commit: string): Promise<string> {
  return (await run('git', ['rev-parse', `${commit}:prisma/migrations`])).stdout;
}
