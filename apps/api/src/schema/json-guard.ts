import { type Fault } from './faults.js';
import { quote } from './kind.js';

export const MAX_DEPTH = 64;

/**
 * What no body may hold, whatever its shape: more than 64 levels, and U+0000, which the store cannot keep. Runs before
 * anything recurses into the value, and itself goes no deeper than that.
 */
export function unreadable(value: unknown): Fault[] {
  const faults: Fault[] = [];
  look(value, '', 0, faults);
  return faults;
}

function look(value: unknown, at: string, depth: number, faults: Fault[]): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000')) faults.push({ at, problem: 'holds the character U+0000; remove it' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    faults.push({ at, problem: `lies deeper than ${MAX_DEPTH} levels; send a flatter value` });
    return;
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => look(item, `${at}[${index}]`, depth + 1, faults));
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (key.includes('\u0000'))
      faults.push({ at, problem: `has a key with the character U+0000, ${quote(key)}; remove it` });
    look(member, pathOf(at, key), depth + 1, faults);
  }
}

function pathOf(at: string, key: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return `${at}[${quote(key)}]`;
  return at === '' ? key : `${at}.${key}`;
}
