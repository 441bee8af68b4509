/** One part of a key, bare or in quotes. */
const PART = /"([^"\\]*)"|'([^']*)'|([A-Za-z0-9_-]+)/g;
const KEYS = String.raw`(?:"[^"\\]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"\\]*"|'[^']*'|[A-Za-z0-9_-]+))*`;
const LIST_ENTRY = new RegExp(String.raw`^\s*\[\[\s*(${KEYS})\s*\]\]`);
const TABLE = new RegExp(String.raw`^\s*\[\s*(${KEYS})\s*\]`);
const ASSIGNMENT = new RegExp(String.raw`^\s*(${KEYS})\s*=`);
const LONG_TEXT = /"""|'''/g;

/** Where a TOML file says its keys. Takes time linear in the source. */
export class KeyLines {
  private readonly lines = new Map<string, number>();

  constructor(source: string) {
    const entries = new Map<string, number>();
    let table: string[] = [];
    let isInText = false;
    for (const [at, line] of source.split('\n').entries()) {
      const startsInText = isInText;
      if ((line.match(LONG_TEXT)?.length ?? 0) % 2 === 1) isInText = !isInText;
      const key = startsInText ? undefined : keyOn(line, table, entries);
      if (!key) continue;
      if (key.isTable) table = key.path;
      const name = nameOf(key.path);
      if (!this.lines.has(name)) this.lines.set(name, at + 1);
    }
  }

  /** The line, from 1 on, on which a key itself is written. */
  at(path: readonly string[]): number | undefined {
    return this.lines.get(nameOf(path));
  }

  /**
   * The line, from 1 on, of a key, or of the nearest table that is written around it; undefined when neither is. The
   * path counts the entries of a list from 0.
   */
  of(path: readonly string[]): number | undefined {
    for (let depth = path.length; depth > 0; depth--) {
      const line = this.at(path.slice(0, depth));
      if (line !== undefined) return line;
    }
    return undefined;
  }
}

function nameOf(path: readonly string[]): string {
  return path.join('\n');
}

interface Key {
  path: string[];
  isTable: boolean;
}

function keyOn(line: string, table: readonly string[], entries: Map<string, number>): Key | undefined {
  const entry = LIST_ENTRY.exec(line)?.[1];
  if (entry !== undefined) {
    const path = placed(partsOf(entry), entries, true);
    return { path, isTable: true };
  }
  const header = TABLE.exec(line)?.[1];
  if (header !== undefined) return { path: placed(partsOf(header), entries), isTable: true };
  const assigned = ASSIGNMENT.exec(line)?.[1];
  return assigned === undefined ? undefined : { path: [...table, ...partsOf(assigned)], isTable: false };
}

/** A name of a list means its last entry; `begins` makes another one. */
function placed(parts: readonly string[], entries: Map<string, number>, begins = false): string[] {
  const path: string[] = [];
  for (const [at, part] of parts.entries()) {
    path.push(part);
    const list = nameOf(path);
    if (begins && at === parts.length - 1) entries.set(list, (entries.get(list) ?? -1) + 1);
    const last = entries.get(list);
    if (last !== undefined) path.push(String(last));
  }
  return path;
}

function partsOf(key: string): string[] {
  return Array.from(key.matchAll(PART), ([, quoted, literal, bare]) => quoted ?? literal ?? bare ?? '');
}
