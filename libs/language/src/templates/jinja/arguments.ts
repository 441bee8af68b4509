import { type Value } from '@huggingface/jinja';

/** What a filter or a method is called with. Each is asked for by its place and its name; none of them is undefined. */
export class Arguments {
  constructor(
    private readonly positional: readonly Value[],
    private readonly named: ReadonlyMap<string, Value>,
  ) {}

  get(at: number, name: string): Value | undefined {
    return this.positional[at] ?? this.named.get(name);
  }

  all(): Value[] {
    return [...this.positional, ...this.named.values()];
  }

  text(at: number, name: string): string | undefined {
    const value = this.get(at, name)?.value;
    if (value === undefined || typeof value === 'string') return value;
    throw new Error(`${name} is to be a text`);
  }

  integer(at: number, name: string): number | undefined {
    const value = this.get(at, name)?.value;
    if (value === undefined || Number.isSafeInteger(value)) return value as number | undefined;
    throw new Error(`${name} is to be a whole number`);
  }

  flag(at: number, name: string): boolean {
    const value = this.get(at, name)?.value ?? false;
    if (typeof value === 'boolean') return value;
    throw new Error(`${name} is to be true or false`);
  }
}
