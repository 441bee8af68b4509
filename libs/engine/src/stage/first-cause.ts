import { truncateText } from '#libs/kernel';

/** Between what a failure says and the output that it quotes. */
export const OUTPUT_HEADING = '\n\n## output\n';

const MAX_LINE_BYTES = 300;

/** What a failure says, in one line: its first line, and the last one of what it quotes. */
export function inOneLine(message: string): string {
  const [said = '', quoted = ''] = message.split(OUTPUT_HEADING, 2);
  const [first, last] = [linesOf(said)[0], linesOf(quoted).at(-1)];
  return [first, last].flatMap((line) => (line === undefined ? [] : [truncateText(line, MAX_LINE_BYTES)])).join(': ');
}

/** A failure and what it came from, in one line; of several causes the first. */
export function withFirstCause({ message, causes = [] }: { message: string; causes?: readonly string[] }): string {
  const said = inOneLine(message);
  const cause = causes[0] === undefined ? '' : inOneLine(causes[0]);
  return cause === '' || said.includes(cause) ? said : `${said}: ${cause}`;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
