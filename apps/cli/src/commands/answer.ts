import { type Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { questionAndValue } from '../questions/find-question.js';
import { type GivenAnswer, readOpenQuestions, type Question, sendAnswer } from '../questions/open-questions.js';
import { questionLines } from '../questions/question-lines.js';
import { readAnswer, readChoice, readFreeText, waysToAnswer } from '../questions/read-answer.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { RUN, selectRun } from '../server/select-run.js';
import type { Session } from '../session.js';
import { InputLine } from '../terminal/input-line.js';

interface AnswerOptions {
  option?: string[];
  yes?: boolean;
  no?: boolean;
  text?: string;
  textStdin?: boolean;
}

export function addAnswer(program: Command, cli: Cli): void {
  program
    .command('answer')
    .description('answer a question of a run; on a terminal it is shown first, when no answer is given')
    .argument('<run>', RUN)
    .argument('[question]', 'its node, its id or the beginning of it; needed only when the run asks several')
    .argument('[value]', 'an option, yes or no, or a text, whatever the question takes')
    .addOption(new Option('--option <key...>', 'choose by key').conflicts(['yes', 'no', 'text', 'textStdin']))
    .addOption(new Option('--yes', 'answer yes').conflicts(['no', 'text', 'textStdin']))
    .addOption(new Option('--no', 'answer no').conflicts(['text', 'textStdin']))
    .addOption(new Option('--text <text>', 'answer with a text').conflicts(['textStdin']))
    .option('--text-stdin', 'answer with the text on standard input')
    .addHelpText('after', '\nExamples:\n  runyard answer @last yes\n  runyard answer @last approve --option A')
    .action(
      cli.action<AnswerOptions>(async (session, options, [selector = '', ...words]) => {
        const client = await session.client();
        const runId = await selectRun(client, selector);
        const [question, value] = questionAndValue(runId, await readOpenQuestions(client, runId), words);
        const text = options.textStdin ? await session.pipedIn('text', '--text-stdin') : options.text;
        const flags = { ...options, ...(text !== undefined && { text }) };
        const answer = givenBy(flags, question, value) ?? (await typedIn(session, question));
        if (!answer) return exitCodes.interrupted;
        await sendAnswer(client, { runId, question }, answer);
        if (session.json) session.screen.json({ run_id: runId, question_id: question.id, answer });
        else session.screen.result(`${runId}  ${question.stage} answered`);
        return exitCodes.done;
      }),
    );
}

/** The answer on the command line, if there is one. */
function givenBy(options: AnswerOptions, question: Question, value: string | undefined): GivenAnswer | undefined {
  const flagged = flaggedBy(options, question);
  if (value === undefined) return flagged;
  if (flagged) throw new CliError('Give either a value or a flag.', exitCodes.misuse);
  return fitting(question, `"${value}"`, readAnswer(question, value));
}

function flaggedBy({ option, yes, no, text }: AnswerOptions, question: Question): GivenAnswer | undefined {
  if (yes) return fitting(question, '--yes', saying(question, 'yes', 'y'));
  if (no) return fitting(question, '--no', saying(question, 'no', 'n'));
  if (text !== undefined) return fitting(question, 'A text', readFreeText(question, text));
  if (!option) return undefined;
  const unknown = option.find((key) => question.options.every((known) => known.key !== key));
  if (unknown !== undefined) return fitting(question, `"${unknown}"`, undefined);
  if (question.question_type === 'multi_select') return { kind: 'multi_selected', option_keys: option };
  const [only = '', ...others] = option;
  if (others.length === 0) return { kind: 'selected', option_key: only };
  throw new CliError('This question takes one option.', exitCodes.misuse);
}

/** The first of these words that chooses something, else the first as a text. */
function saying(question: Question, ...words: [string, ...string[]]): GivenAnswer | undefined {
  const choices = words.map((word) => readChoice(question, word));
  return choices.find((choice) => choice !== undefined) ?? readFreeText(question, words[0]);
}

/** The answer, when there is one; else throws what the question takes instead of what was given. */
function fitting({ stage, ...question }: Question, given: string, answer: GivenAnswer | undefined): GivenAnswer {
  if (answer) return answer;
  throw new CliError(`${given} does not answer ${stage}.`, exitCodes.misuse, `Give ${waysToAnswer(question)}.`);
}

/** Shows the question and asks until something is typed that answers it; undefined when the person leaves. */
async function typedIn({ screen, json, surroundings }: Session, question: Question): Promise<GivenAnswer | undefined> {
  const { terminal } = surroundings;
  if (json || !terminal) {
    throw new CliError(
      'There is no answer.',
      exitCodes.misuse,
      'Give a value, or --option, --yes, --no, --text or --text-stdin.',
    );
  }
  screen.result(questionLines(question, screen).join('\n'));
  for (;;) {
    const line = new InputLine(terminal);
    const typed = await line.read();
    line.stop();
    const answer = typed === undefined ? undefined : readAnswer(question, typed);
    if (answer || typed === undefined) return answer;
    screen.result(`  Type ${waysToAnswer(question)}.`);
  }
}
