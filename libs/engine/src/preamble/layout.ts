/** Lines, one under the other. What is empty is left out. */
export function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

/** Paragraphs, a blank line apart. What is empty is left out. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A headline over its lines; nothing where there are none. */
export function section(title: string, body: readonly string[]): string {
  return body.length === 0 ? '' : `## ${title}\n${body.join('\n')}`;
}

export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

export function quoted(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ');
}

/** One cell of a table: on one line, and without what ends a cell. */
export function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|');
}
