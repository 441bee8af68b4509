import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../cli.js';
import { readIfExists } from '../manifest/workspace.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { projectFiles } from './project-files.js';

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export function addInit(program: Command, cli: Cli): void {
  program
    .command('init')
    .description('make a project of this folder, with a first workflow')
    .argument('[workflow]', "the workflow's name", workflowName, 'hello')
    .addHelpText('after', '\nExamples:\n  runyard init\n  runyard init deploy && runyard run deploy')
    .action(
      cli.action(async ({ screen, json, surroundings: { cwd } }, _, [name = '']) => {
        const made = await written(cwd, projectFiles(name, path.basename(cwd)));
        if (json) screen.json({ workflow: name, files: made });
        else {
          for (const file of made) screen.result(file);
          screen.hint(`\nNext:\n  runyard validate ${name}\n  runyard run ${name}\n  runyard run ${name} -I who=you`);
        }
        return exitCodes.done;
      }),
    );
}

function workflowName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError('Give letters, digits, "-" and "_", a letter first.');
}

/**
 * Writes the files that are not there; gives their names. A project that is there already keeps its settings, a workflow
 * that is there is nobody's to replace: then nothing is written.
 */
async function written(folder: string, { project, workflow }: ReturnType<typeof projectFiles>): Promise<string[]> {
  for (const file of Object.keys(workflow)) {
    if ((await readIfExists(path.join(folder, file))) === undefined) continue;
    throw new CliError(`${file} is there already.`, exitCodes.misuse, 'Give another name: runyard init <workflow>');
  }
  const [settings] = Object.keys(project);
  const isProject = (await readIfExists(path.join(folder, settings!))) !== undefined;
  const files = Object.entries({ ...(isProject ? {} : project), ...workflow });
  for (const [file, text] of files) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    // A file that came about meanwhile stays as it is.
    await writeFile(path.join(folder, file), text, { flag: 'wx' });
  }
  return files.map(([file]) => file);
}
