const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The decimal number a text spells from its first to its last character; no spaces, no hexadecimal. */
export function readNumber(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}
