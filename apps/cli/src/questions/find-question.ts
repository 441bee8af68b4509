import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { oneLine } from '../terminal/format.js';
import type { Question } from './open-questions.js';

/** The least of an id that names a question: less may be meant as an answer. */
const LEAST_OF_ID = 4;

/**
 * The question a person means, among those that a run asks: the only one, or the one with this id, beginning of an id
 * or node.
 */
function findQuestion(runId: string, open: readonly Question[], named: string | undefined): Question {
  if (open.length === 0) throw new CliError(`Run ${runId} asks nothing now.`, exitCodes.failed);
  const matching = named === undefined ? open : open.filter((question) => isCalled(question, named));
  const [only, ...others] = matching;
  if (only && others.length === 0) return only;
  const listed = open.map(({ id, stage, text }) => `  ${id}  ${stage}  ${oneLine(text, 60)}`).join('\n');
  const what = named === undefined ? 'asks several questions' : `asks no single question "${named}"`;
  throw new CliError(`Run ${runId} ${what}:\n${listed}`, exitCodes.misuse, 'Name one by its node or id.');
}

/**
 * The question and the answer in the words behind a run, either of which may be missing. Where a run asks a single question,
 * a word that does not name it is the answer.
 */
export function questionAndValue(
  runId: string,
  open: readonly Question[],
  [first, second]: readonly (string | undefined)[],
): [question: Question, value: string | undefined] {
  const [only, ...others] = open;
  const isLone = only !== undefined && others.length === 0;
  if (isLone && first !== undefined && second === undefined && !isCalled(only, first)) return [only, first];
  return [findQuestion(runId, open, first), second];
}

/** Whether a question is meant by its node, its id or the beginning of its id. */
function isCalled({ id, stage }: Question, named: string): boolean {
  return stage === named || (named.length >= LEAST_OF_ID && id.startsWith(named.toUpperCase()));
}
