import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { oneLine } from '../terminal/format.js';
import type { Question } from './open-questions.js';
import { waysToAnswer } from './read-answer.js';

/** A run waits for an answer that nobody here can give; says which command gives it. */
export function unanswered(runId: string, question: Question): CliError {
  const { stage, text } = question;
  return new CliError(
    `${stage} asks: ${oneLine(text, Infinity)}`,
    exitCodes.unanswered,
    `Answer with ${waysToAnswer(question)}, then come back:\n  → runyard answer ${runId} ${stage} <answer>\n  → runyard attach ${runId}`,
  );
}
