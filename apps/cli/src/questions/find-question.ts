import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { oneLine } from '../terminal/format.js';
import type { Question } from './open-questions.js';

/**
 * The question a person means, among those that a run asks: the only one, or the one with this id, beginning of an id
 * or node.
 */
export function findQuestion(runId: string, open: readonly Question[], named: string | undefined): Question {
  if (open.length === 0) throw new CliError(`Run ${runId} asks nothing now.`, exitCodes.failed);
  const matching = named === undefined ? open : open.filter(isCalled(named));
  const [only, ...others] = matching;
  if (only && others.length === 0) return only;
  const listed = open.map(({ id, stage, text }) => `  ${id}  ${stage}  ${oneLine(text, 60)}`).join('\n');
  const what = named === undefined ? 'asks several questions' : `asks no single question "${named}"`;
  throw new CliError(`Run ${runId} ${what}:\n${listed}`, exitCodes.misuse, 'Name one by its id.');
}

function isCalled(named: string): (question: Question) => boolean {
  const upper = named.toUpperCase();
  return ({ id, stage }) => stage === named || id.startsWith(upper);
}
