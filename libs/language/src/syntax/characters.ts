const SPACE = 1;
const NAME_START = 2;
const NAME_PART = 4;
const VALUE_PART = 8;

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_';
const DIGITS = '0123456789';
const BYTE_ORDER_MARK = 0xfeff;

/** What each ASCII character can be part of. */
const roles = new Uint8Array(128);
for (const [characters, role] of [
  [' \t\r\n', SPACE],
  [LETTERS, NAME_START | NAME_PART | VALUE_PART],
  [DIGITS, NAME_PART | VALUE_PART],
  ['.', NAME_PART | VALUE_PART],
  ['+-', VALUE_PART],
] as const) {
  for (const character of characters) roles[character.charCodeAt(0)] = role;
}

/** Also a byte order mark, wherever files were joined. No character at all (`NaN`) is none. */
export function isSpace(code: number): boolean {
  return code < 128 ? (roles[code]! & SPACE) !== 0 : code === BYTE_ORDER_MARK;
}

export function isNameStart(code: number): boolean {
  return code < 128 && (roles[code]! & NAME_START) !== 0;
}

/** Names may have dots: where they may not, the parser says so. */
export function isNamePart(code: number): boolean {
  return code < 128 && (roles[code]! & NAME_PART) !== 0;
}

/** What an unquoted value is made of: words, numbers, durations. */
export function isValuePart(code: number): boolean {
  return code < 128 && (roles[code]! & VALUE_PART) !== 0;
}
