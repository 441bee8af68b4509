import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import type { Session } from '../session.js';
import { InputLine } from '../terminal/input-line.js';

/** Things that are shown before they are done; beyond these only their number is. */
const SHOWN = 10;

/**
 * Whether a person wants what cannot be taken back, or concerns many: they said `--yes`, or type it at the terminal once
 * they have seen what it is. Throws with the same text where nobody can be asked.
 */
export async function confirmed(
  { screen, json, surroundings: { terminal } }: Session,
  yes: boolean,
  what: string,
  lines: readonly string[],
): Promise<boolean> {
  if (yes) return true;
  const left = lines.length - SHOWN;
  const shown = lines.slice(0, SHOWN).map((line) => `  ${line}`);
  const text = [what, ...shown, ...(left > 0 ? [`  … and ${left} more`] : [])].join('\n');
  if (json || !terminal) throw new CliError(text, exitCodes.misuse, 'Say so with --yes.');
  screen.hint(`${text}\nType yes to do it.`);
  const line = new InputLine(terminal);
  const typed = await line.read();
  line.stop();
  if (typed?.trim().toLowerCase() === 'yes') return true;
  screen.hint('Nothing was done.');
  return false;
}
