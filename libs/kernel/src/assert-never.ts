/** Marks the end of an exhaustive switch: a new union case that nobody handles does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
