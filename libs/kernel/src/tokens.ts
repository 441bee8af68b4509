import type { Json } from './json.js';

/** What every token of this service begins with, and what may follow, up to which length. */
const FORMS = [
  { prefix: 'service_dev_', secret: /^[0-9a-f]*$/, length: 64 },
  { prefix: 'service_worker_', secret: /^[0-9a-f]*$/, length: 64 },
  { prefix: 'service_refresh_', secret: /^[\w-]*$/, length: 64 },
] as const;

/** Also the beginning of a token that was cut off is one: what is missing could be found by trying. */
const TOKEN = /(service_(?:dev|worker|refresh)_)((?<=service_refresh_)[\w-]{43,}|[0-9a-f]{16,})/g;
const MARK = 'service_';

/** The longest token, in characters and in bytes. */
export const MAX_TOKEN_BYTES = Math.max(...FORMS.map(({ prefix, length }) => prefix.length + length));

/**
 * A text with nothing secret in the tokens of this service that stand in it. It stays as long as it was, so that places in
 * it stay right. A text without a token costs one search.
 */
export function maskTokens(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(TOKEN, (_, prefix: string, secret: string) => prefix + 'REDACTED'.padEnd(secret.length, '*'));
}

/** The same for bytes in any encoding that has ASCII in it. */
export function maskTokenBytes(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.includes(MARK) ? Buffer.from(maskTokens(buffer.toString('latin1')), 'latin1') : bytes;
}

/** The same for all texts in a value. */
export function maskTokensIn<T extends Json>(value: T): T {
  return mayHoldToken(value) ? (JSON.parse(maskTokens(JSON.stringify(value))) as T) : value;
}

function mayHoldToken(value: Json): boolean {
  if (typeof value === 'string') return value.includes(MARK);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => key.includes(MARK) || mayHoldToken(member));
}

/** Masks a text that comes in parts: the end of a part that may be the beginning of a token waits for the next one. */
export class TokenMask {
  private held = '';

  constructor(private readonly show: (text: string) => void) {}

  write(part: string): void {
    const text = this.held + part;
    const from = openTokenIn(text);
    this.held = text.slice(from);
    if (from > 0) this.show(maskTokens(text.slice(0, from)));
  }

  /** Nothing follows. */
  end(): void {
    if (this.held !== '') this.show(maskTokens(this.held));
    this.held = '';
  }
}

/** Where at the end of a text a token may begin that goes on behind it; the length of the text when none does. */
function openTokenIn(text: string): number {
  const first = MARK[0]!;
  let at = text.indexOf(first, Math.max(0, text.length - MAX_TOKEN_BYTES));
  while (at !== -1 && !mayGoOn(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 ? text.length : at;
}

function mayGoOn(end: string): boolean {
  return FORMS.some(({ prefix, secret, length }) =>
    end.startsWith(prefix)
      ? end.length < prefix.length + length && secret.test(end.slice(prefix.length))
      : prefix.startsWith(end),
  );
}
