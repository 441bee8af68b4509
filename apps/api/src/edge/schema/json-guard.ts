import { type ShapeFault } from './faults.js';
import { quote } from './kind.js';

export const MAX_DEPTH = 64;

type Step = string | number;

/**
 * What no body may hold, whatever its shape: more than 64 levels, and U+0000, which the store cannot keep; the first so
 * many faults. Runs before anything recurses into the value, and itself goes no deeper than that.
 */
export function unreadable(value: unknown, most: number): ShapeFault[] {
  const guard = new JsonGuard(most);
  guard.look(value);
  return guard.faults;
}

/** Bodies may hold a million values: what is found is named only once it is found. */
class JsonGuard {
  readonly faults: ShapeFault[] = [];
  private readonly path: Step[] = [];

  constructor(private readonly most: number) {}

  look(value: unknown): void {
    if (typeof value === 'string') {
      if (value.includes('\u0000')) this.found('holds the character U+0000; remove it');
    } else if (typeof value === 'object' && value !== null) {
      if (this.path.length === MAX_DEPTH) this.found(`lies deeper than ${MAX_DEPTH} levels; send a flatter value`);
      else if (Array.isArray(value)) this.items(value);
      else this.members(value as Record<string, unknown>);
    }
  }

  private items(list: readonly unknown[]): void {
    for (let index = 0; index < list.length && !this.isFull; index++) this.inside(index, list[index]);
  }

  private members(members: Record<string, unknown>): void {
    for (const key of Object.keys(members)) {
      if (this.isFull) return;
      if (key.includes('\u0000')) this.found(`has a key with the character U+0000, ${quote(key)}; remove it`);
      this.inside(key, members[key]);
    }
  }

  private inside(step: Step, value: unknown): void {
    this.path.push(step);
    this.look(value);
    this.path.pop();
  }

  private get isFull(): boolean {
    return this.faults.length >= this.most;
  }

  private found(problem: string): void {
    if (!this.isFull) this.faults.push({ at: this.path.reduce<string>(placeOf, ''), problem });
  }
}

function placeOf(at: string, step: Step): string {
  if (typeof step === 'number') return `${at}[${step}]`;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(step)) return `${at}[${quote(step)}]`;
  return at === '' ? step : `${at}.${step}`;
}
