/** What a record holds under a name that an author chose: `constructor` and `__proto__` are names like any other. */
export function held<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Writes a value. An assignment would make a value under `__proto__` the prototype, and lose it. */
export function hold<T>(record: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
}
