import { type Command, InvalidArgumentError, Option } from 'commander';
import { type InputValue, parseInput } from '#libs/settings';
import type { TypedTexts } from '../manifest/authored-workflow.js';
import type { RunRequest } from '../manifest/build-manifest.js';

/** `KEY=VALUE`, as it was typed and as it was read. */
export interface TypedInput {
  entry: string;
  key: string;
  value: InputValue;
}

/** The flags that say what run is meant. */
export interface RunOptions {
  goal?: string;
  goalFile?: string;
  input: TypedInput[];
  label: string[];
  model?: string;
  provider?: string;
  environment?: string;
  autoApprove?: boolean;
  dryRun?: boolean;
  preserveSandbox?: boolean;
  verbose?: boolean;
  title?: string;
  runId?: string;
  parent?: string;
}

/** What every command says that takes a workflow. */
export const WORKFLOW_ARGUMENT = 'path of a .dot file, or name of a workflow of the project or of yours';

/** The flag of a command that makes a run whose questions nobody need answer. */
export const AUTO_APPROVE = ['--auto-approve', 'answer every question with its first positive option'] as const;

export function withRunOptions(command: Command): Command {
  return withTexts(command)
    .addOption(repeated('--label <KEY=VALUE>', 'a label of the run').argParser(labels))
    .option('--model <name>', 'the model that stages use')
    .option('--provider <name>', "the model's provider")
    .option('--environment <slug>', 'where stages are executed')
    .option(...AUTO_APPROVE)
    .option('--dry-run', 'walk the graph without executing anything')
    .option('--preserve-sandbox', 'keep the sandbox when the run is over')
    .option('--title <text>', 'a name for the run')
    .option('--run-id <ulid>', 'the id of the run, instead of a fresh one')
    .option('--parent <run>', 'the run that orchestrates this one');
}

/** The flags that change what the workflow says. */
export function withTexts(command: Command): Command {
  return withInputs(
    command
      .option('--goal <text>', "what the run is for; replaces the workflow's goal")
      .option('--goal-file <file>', 'the same, read from a file'),
  );
}

export function withInputs(command: Command): Command {
  return command.addOption(repeated('-I, --input <KEY=VALUE>', 'an input of the workflow').argParser(inputs));
}

function repeated(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`).default([], 'none');
}

function labels(text: string, before: string[]): string[] {
  if (text.indexOf('=') > 0) return [...before, text];
  throw new InvalidArgumentError('Give it as KEY=VALUE.');
}

function inputs(text: string, before: TypedInput[]): TypedInput[] {
  const input = parseInput(text);
  if ('key' in input) return [...before, { entry: text, ...input }];
  throw new InvalidArgumentError(`It ${input.problem}.`);
}

export function textsOf({ goal, goalFile, input }: Pick<RunOptions, 'goal' | 'goalFile' | 'input'>): TypedTexts {
  return {
    ...(goal !== undefined && { goal }),
    ...(goalFile !== undefined && { goalFile }),
    inputs: Object.fromEntries(input.map(({ key, value }) => [key, value])),
  };
}

export function requestOf(options: RunOptions): RunRequest {
  const { title, runId, parent, model, provider, environment } = options;
  const { verbose, dryRun, autoApprove, preserveSandbox, label, input } = options;
  return {
    ...(title !== undefined && { title }),
    ...(runId !== undefined && { runId }),
    ...(parent !== undefined && { parent }),
    args: {
      ...(model !== undefined && { model }),
      ...(provider !== undefined && { provider }),
      ...(environment !== undefined && { environment }),
      ...(verbose && { verbose }),
      ...(dryRun && { dry_run: dryRun }),
      ...(autoApprove && { auto_approve: autoApprove }),
      ...(preserveSandbox && { preserve_sandbox: preserveSandbox }),
      ...(label.length > 0 && { label }),
      ...(input.length > 0 && { input: input.map(({ entry }) => entry) }),
    },
  };
}
