import type { Command } from 'commander';
import type { RunyardClient } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { type Asked, readOpenQuestions, openQuestionsAnywhere, type Question } from '../questions/open-questions.js';
import { questionLines } from '../questions/question-lines.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN_SHOWN, selectShownRun } from '../server/select-run.js';

export function addQuestions(program: Command, cli: Cli): void {
  program
    .command('questions')
    .description('show what a run asks people, or what all runs ask')
    .argument('[run]', RUN_SHOWN)
    .addHelpText('after', '\nExample:\n  runyard questions @last')
    .action(
      cli.action(async (session, _, [selector]: (string | undefined)[]) => {
        const { screen, json } = session;
        const client = await session.client();
        const asked = selector === undefined ? await openQuestionsAnywhere(client) : await askedBy(client, selector);
        if (json) screen.json(asked.map(({ runId, question }) => ({ run_id: runId, ...question })));
        else if (asked.length === 0) screen.hint('No open questions.');
        for (const { runId, question } of json ? [] : asked) {
          const contextLines = selector === undefined ? 0 : Infinity;
          const lines = questionLines(question, { paint: screen.paint, width: screen.width, contextLines });
          screen.result(
            [...lines, screen.paint.dim(`  → runyard answer ${runId} ${nameOf(question, runId, asked)}`), ''].join(
              '\n',
            ),
          );
        }
        return exitCodes.done;
      }),
    );
}

/** The node that asks, or the id where branches of the run ask at the same node. */
function nameOf({ id, stage }: Question, run: string, asked: readonly Asked[]): string {
  const alike = asked.filter(({ runId, question }) => runId === run && question.stage === stage);
  return alike.length === 1 ? stage : id;
}

async function askedBy(client: RunyardClient, selector: string): Promise<Asked[]> {
  const runId = await selectShownRun(client, selector);
  return (await readOpenQuestions(client, runId)).map((question) => ({ runId, question }));
}
