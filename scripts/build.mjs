// Compiles apps and libs to dist with swc, file by file; types are checked by `npm run check:types`, not here.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { transformFile } from '@swc/core';

const out = 'dist';
await rm(out, { recursive: true, force: true });

const sources = [];
for (const root of ['apps', 'libs']) {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && file.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(file)) sources.push(file);
  }
}

await Promise.all(
  sources.map(async (source) => {
    const { code, map } = await transformFile(source);
    const target = path.join(out, source.replace(/\.ts$/, '.js'));
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map\n`);
    await writeFile(`${target}.map`, map);
  }),
);
console.error(`built ${sources.length} files into ${out}/`);
