/** Less than the 8,000 bytes that one NOTIFY can carry. */
export const MAX_PAYLOAD_BYTES = 7_500;

/**
 * Packs the first items into one payload behind the name of its sender, as many as fit, and says how many those were.
 * At least one: an item that is too large by itself makes a payload that the sender has to drop.
 */
export function packItems(origin: string, items: readonly (readonly unknown[])[]): { payload: string; packed: number } {
  const packed: string[] = [];
  let bytes = Buffer.byteLength(JSON.stringify([origin]));
  for (const item of items) {
    const text = JSON.stringify(item);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > MAX_PAYLOAD_BYTES && packed.length > 0) break;
    packed.push(text);
  }
  return { payload: `[${[JSON.stringify(origin), ...packed].join(',')}]`, packed: packed.length };
}

/** The items of a payload; `undefined` for one that is no payload, or has an item that cannot be read. */
export function unpack<Item>(
  payload: string,
  read: (item: readonly unknown[]) => Item | undefined,
): { origin: string; items: Item[] } | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts)) return undefined;

  const [origin, ...packed] = parts as unknown[];
  const items = packed.map((item) => (Array.isArray(item) ? read(item) : undefined));
  const whole = items.filter((item) => item !== undefined);
  return typeof origin === 'string' && whole.length === items.length ? { origin, items: whole } : undefined;
}
