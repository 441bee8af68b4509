/**
 * `node --conditions runyard-source --import <this file> some.ts`: runs the sources as they are, for specs that need
 * one more process. Relative imports end in `.js`, as they do after compilation.
 */
import { transformFile } from '@swc/core';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const configFile = fileURLToPath(new URL('../../.swcrc', import.meta.url));

if (isMainThread) register(import.meta.url);

/** A file in plain JavaScript is found under its own name. */
export async function resolve(specifier, context, next) {
  const isSource = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
  if (!isSource) return next(specifier, context);
  return next(specifier.replace(/\.js$/, '.ts'), context).catch(() => next(specifier, context));
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transformFile(fileURLToPath(url), { configFile, sourceMaps: 'inline' });
  return { format: 'module', source: code, shortCircuit: true };
}
