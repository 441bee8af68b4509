const MAX_SHOWN = 60;
const MAX_NAMED = 5;

/** A piece of the author's text as it stands in a message: quoted, on one line, and not too long. */
export function quote(text: string): string {
  const line = text.replaceAll('\n', '⏎');
  return line.length > MAX_SHOWN ? `"${line.slice(0, MAX_SHOWN).toWellFormed()}…"` : `"${line}"`;
}

/** `a, b or c` */
export function anyOf(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

/** `a, b, c, d, e and 7 more` */
export function namesInBrief(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${shown} and ${names.length - MAX_NAMED} more` : shown;
}

/** `an agent`, `a command` */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
