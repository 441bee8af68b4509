import { type TokenPlace } from './token-place.js';

/** A place where a value can stand. */
export type KnownPlace = Exclude<TokenPlace, { kind: 'unknown' | 'comment' }>;

/** An expansion of nothing: what stands before and behind it stays apart. */
const NOTHING = '${0+}';

/** A value for its place in a shell script: what reads the script gets exactly this text there. */
export function shellText(place: KnownPlace, text: string): string {
  switch (place.kind) {
    case 'bare':
      return `'${inSingleQuotes(text)}'`;
    case 'single':
      return inSingleQuotes(text);
    case 'double':
      return (place.afterName ? '""' : '') + text.replace(/[\\$`"]/g, '\\$&');
    case 'document':
      return inDocument(text, place.delimiter, place.afterName);
  }
}

/** A value as a text of a Python script: what JSON writes, Python reads. */
export function pythonText(_: KnownPlace, text: string): string {
  return JSON.stringify(text);
}

function inSingleQuotes(text: string): string {
  return text.replaceAll("'", "'\\''");
}

/**
 * No line of the value may end the here-document, also not with what stands beside it, and none may lose its tabs. A
 * line that begins as the delimiter does and goes on in other letters than those of ASCII loses a byte in dash.
 */
function inDocument(text: string, delimiter: string, afterName: boolean): string {
  const lines = text.replace(/[\\$`]/g, '\\$&').split('\n');
  const isApart = (line: string, at: number): boolean => {
    if (line.startsWith('\t') || (at === 0 && afterName)) return true;
    const head = line.slice(0, Math.max(0, line.search(/[^\0-\x7f]|$/)));
    if (at === 0 || at === lines.length - 1) return delimiter.includes(head);
    return head === line ? line === delimiter : delimiter.startsWith(head);
  };
  return lines.map((line, at) => (isApart(line, at) ? NOTHING : '') + line).join('\n');
}
