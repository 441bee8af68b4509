/**
 * `node --conditions runyard-source --import <this file> some.ts`: runs the sources as they are, for specs that need
 * one more process. Relative imports end in `.js`, as they do after compilation. What was compiled is kept for the next
 * process, under a digest of everything that it was made from.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, threadId } from 'node:worker_threads';

const root = fileURLToPath(new URL('../..', import.meta.url));
const configFile = path.join(root, '.swcrc');
const kept = path.join(root, 'node_modules/.cache/typescript-loader');

if (isMainThread) register(import.meta.url);

/** A file in plain JavaScript is found under its own name. */
export async function resolve(specifier, context, next) {
  const isSource = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
  if (!isSource) return next(specifier, context);
  return next(specifier.replace(/\.js$/, '.ts'), context).catch(() => next(specifier, context));
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const file = fileURLToPath(url);
  const source = await readFile(file);
  const digest = createHash('sha256').update(madeWith()).update(file).update('\0').update(source).digest('hex');
  const place = path.join(kept, `${digest}.js`);
  const code = await readFile(place, 'utf8').catch(() => compiled(file, place));
  return { format: 'module', source: code, shortCircuit: true };
}

let compiler;
/** The compiler and its settings. */
function madeWith() {
  const manifest = path.join(root, 'node_modules/@swc/core/package.json');
  return (compiler ??= Buffer.concat([readFileSync(configFile), readFileSync(manifest)]));
}

/** The compiler is loaded only by whoever needs it; whoever reads the file meanwhile finds the whole of it or nothing. */
async function compiled(file, place) {
  const { transformFile } = await import('@swc/core');
  const { code } = await transformFile(file, { configFile, sourceMaps: 'inline' });
  await mkdir(kept, { recursive: true });
  const draft = `${place}.${process.pid}.${threadId}`;
  await writeFile(draft, code);
  await rename(draft, place);
  return code;
}
