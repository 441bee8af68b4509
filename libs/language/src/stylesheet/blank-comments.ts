export interface Blanked {
  text: string;
  /** Where a comment begins that never ends; the text ends there. */
  openAt?: number;
}

/** The sheet with spaces in the place of its comments, so that everything else keeps its own. */
export function blankComments(written: string): Blanked {
  let text = '';
  let at = 0;
  for (;;) {
    const open = written.indexOf('/*', at);
    if (open === -1) return { text: text + written.slice(at) };
    text += written.slice(at, open);
    const close = written.indexOf('*/', open + 2);
    if (close === -1) return { text, openAt: open };
    at = close + 2;
    text += ' '.repeat(at - open);
  }
}
