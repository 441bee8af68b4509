/** How much of a text a drawing shows: lines, and characters of a line. Only a longer word makes a longer line. */
export interface Room {
  width: number;
  lines: number;
}

const LONGEST_WORD = 40;
/** What may not stand in XML, or turns the direction of what follows it. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufffe\uffff]+/gu;

/**
 * An author's text as the label of a drawing, in the notation of Graphviz: what would be an escape or an entity there is
 * made literal, what a reader cannot see is left out, and what does not fit is cut.
 */
export function labelOf(text: string, { width, lines }: Room): string {
  const enough = text.slice(0, 2 * lines * (width + LONGEST_WORD)).toWellFormed();
  const all = enough.trim().split(/\r\n?|\n/);
  const wrapped = all.flatMap((line) => wrap(line.replace(UNFIT, ' ').trim(), width));
  const shown = wrapped.length > lines ? [...wrapped.slice(0, lines - 1), `${wrapped[lines - 1]}…`] : wrapped;
  return shown.map(literal).join('\\n');
}

function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of line.split(/\s+/).map(cutWord)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function cutWord(word: string): string {
  const characters = Array.from(word);
  return characters.length > LONGEST_WORD ? `${characters.slice(0, LONGEST_WORD).join('')}…` : word;
}

function literal(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('&', '&amp;');
}
