import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { type AuthoredWorkflow, readWorkflow } from '../manifest/authored-workflow.js';
import { exitCodeOf, type AuthoringFinding, findingsOf } from '../manifest/findings.js';
import { requireInputsRead } from '../manifest/require-inputs-read.js';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import type { Session } from '../session.js';
import { counted } from '../terminal/format.js';
import { type RunOptions, textsOf, withTexts, WORKFLOW_ARGUMENT } from './run-options.js';
import { watch } from './watch.js';

interface ValidateOptions extends Pick<RunOptions, 'goal' | 'goalFile' | 'input'> {
  strict?: boolean;
  watch?: boolean;
}

/** What was found about one of the workflows that were typed. */
interface Verdict {
  workflow: string;
  findings: AuthoringFinding[];
  /** Findings beyond those. */
  leftOut: number;
  /** Inputs that it reads and that nobody gives. */
  missingInputs: string[];
  exitCode: ExitCode;
  /** What it depends on. */
  files: string[];
}

export function addValidate(program: Command, cli: Cli): void {
  withTexts(program.command('validate'))
    .description('check workflows and all their files without a server; shows every finding')
    .argument('<workflows...>', WORKFLOW_ARGUMENT)
    .option('--strict', 'warnings fail too')
    .option('-w, --watch', 'do it again whenever one of the files changes')
    .addHelpText('after', '\nExamples:\n  runyard validate deploy.dot\n  runyard validate --strict flows/*.dot --json')
    .action(
      cli.action<ValidateOptions>(async (session, options, workflows) => {
        const validate = (): Promise<Verdict[]> => validateAll(session, workflows, options);
        if (!options.watch) return worst(await validate());
        return watch(session.screen, async () => (await validate()).flatMap(({ files }) => files));
      }),
    );
}

/** Says what is found, and gives it. */
async function validateAll(session: Session, workflows: string[], options: ValidateOptions): Promise<Verdict[]> {
  const { surroundings, home } = session;
  const read: AuthoredWorkflow[] = [];
  for (const typed of workflows) {
    read.push(await readWorkflow(typed, textsOf(options), { cwd: surroundings.cwd, home }));
  }
  requireInputsRead(options.input, read);
  const verdicts = read.map((workflow) => verdictOn(workflow, surroundings.cwd, options));
  if (session.json) session.screen.json(documentOf(verdicts));
  else for (const verdict of verdicts) show(session, verdict);
  return verdicts;
}

function verdictOn(workflow: AuthoredWorkflow, cwd: string, options: ValidateOptions): Verdict {
  const { identifier, diagnostics, leftOut, inputs } = workflow;
  return {
    workflow: identifier,
    findings: findingsOf(workflow, cwd),
    leftOut,
    missingInputs: [...inputs.missing].sort(),
    exitCode: exitCodeOf(diagnostics, options),
    files: filesOf(workflow),
  };
}

function filesOf({ workspace, bundle, configs }: AuthoredWorkflow): string[] {
  const owned = [...bundle.workflows.values()].map(({ config }) => config);
  const settings = [...owned, ...configs].flatMap((config) => (config?.path ? [workspace.absolute(config.path)] : []));
  return [...workspace.asked, ...settings];
}

function show({ screen }: Session, { workflow, findings, leftOut, missingInputs, exitCode }: Verdict): void {
  for (const { text } of findings) screen.result(text);
  if (leftOut > 0) screen.hint(`… and ${counted(leftOut, 'finding')} more of rules that are shown above.`);
  const of = (wanted: string): number => findings.filter(({ severity }) => severity === wanted).length;
  const mark = exitCode === exitCodes.done ? screen.paint.green('✓') : screen.paint.red('✗');
  screen.hint(`${mark} ${workflow}: ${counted(of('error'), 'error')}, ${counted(of('warning'), 'warning')}`);
  if (missingInputs.length === 0) return;
  screen.hint(
    `  missing inputs: ${missingInputs.join(', ')} (${missingInputs.map((name) => `-I ${name}=…`).join(' ')})`,
  );
}

function documentOf(verdicts: readonly Verdict[]): unknown {
  const workflows = verdicts.map(({ workflow, findings, leftOut, missingInputs, exitCode }) => ({
    workflow,
    valid: exitCode === exitCodes.done,
    diagnostics: findings.map(({ diagnostic }) => diagnostic),
    ...(leftOut > 0 && { diagnosticsLeftOut: leftOut }),
    missingInputs,
  }));
  return { valid: worst(verdicts) === exitCodes.done, workflows };
}

function worst(verdicts: readonly Verdict[]): ExitCode {
  return verdicts.find(({ exitCode }) => exitCode !== exitCodes.done)?.exitCode ?? exitCodes.done;
}
