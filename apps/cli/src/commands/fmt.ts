import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { type Diagnostic, format, formatDiagnostic } from '#libs/language';
import type { Cli } from '../cli.js';
import { STDIN, type WorkflowSource, workflowSources } from '../manifest/workflow-sources.js';
import { exitCodes } from '../server/exit-code.js';
import type { Session } from '../session.js';
import { counted, plainText } from '../terminal/format.js';

interface FmtOptions {
  check?: boolean;
}

/** A workflow, and what there is to do about its layout. */
interface Layout extends WorkflowSource {
  status: 'formatted' | 'differs' | 'unreadable';
  /** The source itself when it cannot be read. */
  text: string;
  diagnostics: Diagnostic[];
}

export function addFmt(program: Command, cli: Cli): void {
  program
    .command('fmt')
    .description('bring workflows into their one layout; prints the names of those it changes')
    .argument('<paths...>', '.dot files, folders with such, or - to print what is piped in')
    .option('--check', 'change nothing; exit with 1 and the names of those that differ')
    .addHelpText('after', '\nExamples:\n  runyard fmt deploy.dot\n  runyard fmt --check .')
    .action(
      cli.action<FmtOptions>(async (session, { check = false }, paths) => {
        // All are read before one is written: a wrong path changes nothing.
        const layouts = (await workflowSources(paths, session.surroundings)).map(layoutOf);
        if (!check) await store(layouts, session.surroundings.cwd);
        const isFine = layouts.every(({ status }) => status === 'formatted' || (status === 'differs' && !check));
        if (session.json) showJson(session, layouts);
        else show(session, layouts, check, isFine);
        return isFine ? exitCodes.done : exitCodes.failed;
      }),
    );
}

function layoutOf({ workflow, source }: WorkflowSource): Layout {
  const { text = source, diagnostics } = format(source);
  const status = diagnostics.length > 0 ? 'unreadable' : text === source ? 'formatted' : 'differs';
  return { workflow, source, status, text, diagnostics };
}

async function store(layouts: readonly Layout[], cwd: string): Promise<void> {
  for (const { workflow, status, text } of layouts) {
    if (status === 'differs' && workflow !== STDIN) await writeFile(path.resolve(cwd, workflow), text);
  }
}

function showJson({ screen }: Session, layouts: readonly Layout[]): void {
  const workflows = layouts.map(({ workflow, status, text, diagnostics }) => ({
    workflow,
    status,
    diagnostics,
    ...(workflow === STDIN && status !== 'unreadable' && { text }),
  }));
  screen.json({ workflows });
}

function show({ screen }: Session, layouts: readonly Layout[], check: boolean, isFine: boolean): void {
  for (const { workflow, source, status, text, diagnostics } of layouts) {
    for (const diagnostic of diagnostics) screen.hint(plainText(`${workflow}:${formatDiagnostic(source, diagnostic)}`));
    if (workflow === STDIN && !check && status !== 'unreadable') screen.result(text.trimEnd());
    else if (status === 'differs') screen.result(workflow);
  }
  const of = (status: Layout['status']): number => layouts.filter((layout) => layout.status === status).length;
  const mark = isFine ? screen.paint.green('✓') : screen.paint.red('✗');
  const differing = `${of('differs')} ${check ? 'not formatted' : 'changed'}`;
  const unreadable = of('unreadable') === 0 ? '' : `, ${of('unreadable')} with syntax errors`;
  screen.hint(`${mark} ${counted(layouts.length, 'workflow')}: ${differing}${unreadable}`);
}
