import path from 'node:path';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { sourceOf } from '../manifest/build-manifest.js';
import { checkWorkflow, diagnosticText } from '../manifest/check-workflow.js';
import { exitCodes } from '../server/exit-code.js';
import { counted } from './submission.js';

export function addValidate(program: Command, cli: Cli): void {
  program
    .command('validate')
    .description('check a workflow without a server; shows every finding')
    .argument('<workflow>', 'path of a .dot file')
    .addHelpText('after', '\nExample:\n  runyard validate deploy.dot')
    .action(
      cli.action(async ({ screen, json, surroundings }, _, [workflow = '']) => {
        const source = await sourceOf(path.resolve(surroundings.cwd, workflow), workflow);
        const { diagnostics, exitCode } = checkWorkflow(source);
        if (json) {
          screen.json({ workflow, valid: exitCode === exitCodes.done, diagnostics });
          return exitCode;
        }
        for (const diagnostic of diagnostics) screen.result(diagnosticText(workflow, source, diagnostic));
        const of = (severity: string): number => diagnostics.filter((found) => found.severity === severity).length;
        const counts = [counted(of('error'), 'error'), counted(of('warning'), 'warning')].join(', ');
        const mark = exitCode === exitCodes.done ? screen.paint.green('✓') : screen.paint.red('✗');
        screen.hint(`${mark} ${workflow}: ${counts}`);
        return exitCode;
      }),
    );
}
