import { type Fault } from './faults.js';
import { quote } from './kind.js';

export const MAX_DEPTH = 64;

/**
 * What no body may hold, whatever its shape: more than 64 levels, and U+0000, which the store cannot keep. Runs before
 * anything recurses into the value, and itself goes no deeper than that.
 */
export function* unreadable(value: unknown, at = '', depth = 0): Generator<Fault, void> {
  if (typeof value === 'string') {
    if (value.includes('\u0000')) yield { at, problem: 'holds the character U+0000; remove it' };
  } else if (typeof value === 'object' && value !== null) {
    if (depth < MAX_DEPTH) yield* unreadableInside(value, at, depth);
    else yield { at, problem: `lies deeper than ${MAX_DEPTH} levels; send a flatter value` };
  }
}

function* unreadableInside(value: object, at: string, depth: number): Generator<Fault, void> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unreadable(item, `${at}[${index}]`, depth + 1);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (key.includes('\u0000')) yield { at, problem: `has a key with the character U+0000, ${quote(key)}; remove it` };
    yield* unreadable(member, pathOf(at, key), depth + 1);
  }
}

function pathOf(at: string, key: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return `${at}[${quote(key)}]`;
  return at === '' ? key : `${at}.${key}`;
}
