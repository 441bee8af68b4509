/** A block of code of a Markdown page: what it is written in, what else is said beside that, and its lines. */
export interface Block {
  language: string;
  /** `file=NAME` says where the block lies; `exit=N` how its last command ends. */
  marks: ReadonlyMap<string, string>;
  text: string;
}

/** The blocks of code of a page, in their order. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\S+)(.*)\n([\s\S]*?)^```$/gm)].map(([, language = '', marks = '', text = '']) => ({
    language,
    marks: new Map(marks.trim().split(/\s+/).filter(Boolean).map(markOf)),
    text,
  }));
}

/** What a page says is printed, or what was printed: without what differs from one time to the next. */
export function steadyLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, 'ID')
        .replace(/\b\d+(\.\d+)?s\b/g, 'TIME')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '');
}

function markOf(mark: string): [string, string] {
  const [name = '', value = ''] = mark.split('=');
  return [name, value];
}
