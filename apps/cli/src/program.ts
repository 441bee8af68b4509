import { Command } from 'commander';
import { packageVersion } from '#libs/config';
import { Cli } from './cli.js';
import { addAnswer } from './commands/answer.js';
import { addArchive } from './commands/archive.js';
import { addAttach } from './commands/attach.js';
import { addAuth } from './commands/auth.js';
import { addCancel } from './commands/cancel.js';
import { addCreate } from './commands/create.js';
import { addFmt } from './commands/fmt.js';
import { addFork } from './commands/fork.js';
import { addGraph } from './commands/graph.js';
import { addInit } from './commands/init.js';
import { addInspect } from './commands/inspect.js';
import { addPause } from './commands/pause.js';
import { addParent } from './commands/parent.js';
import { addPreflight } from './commands/preflight.js';
import { addPs } from './commands/ps.js';
import { addQuestions } from './commands/questions.js';
import { addQuickstart } from './commands/quickstart.js';
import { addRerun } from './commands/rerun.js';
import { addResume } from './commands/resume.js';
import { addRewind } from './commands/rewind.js';
import { addRename } from './commands/rename.js';
import { addRetry } from './commands/retry.js';
import { addRm } from './commands/rm.js';
import { addRun } from './commands/run.js';
import { addServer } from './commands/server.js';
import { addStart } from './commands/start.js';
import { addSystem } from './commands/system.js';
import { addUnpause } from './commands/unpause.js';
import { addValidate } from './commands/validate.js';
import { type ExitCode, exitCodeTable } from './server/exit-code.js';
import type { Surroundings } from './session.js';

/** Reads the arguments, does what they say and tells how the process ends. Never throws. */
export function runyard(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const cli = new Cli(surroundings);
  const { screen } = surroundings;
  const program = new Command('runyard')
    .description('Durable runs of workflow graphs.')
    .version(packageVersion(), '-V, --version')
    .option('--json', 'one JSON document on stdout, or one a line for a stream')
    .option('--server <address>', 'URL, or path of a socket (RUNYARD_SERVER)')
    .option('--token-stdin', 'read the token from standard input (RUNYARD_TOKEN)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => screen.result(text.trimEnd()),
      writeErr: (text) => screen.hint(text.trimEnd()),
    })
    .helpCommand(false)
    .addHelpText(
      'after',
      `${EXAMPLES}\n${RUN_HELP}\n${exitCodeHelp()}\n\nMore about a command: runyard <command> --help`,
    )
    .showSuggestionAfterError()
    .exitOverride();
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, cli);
  }
  return cli.run(program, args);
}

const groups: readonly (readonly [heading: string, commands: readonly ((program: Command, cli: Cli) => void)[]])[] = [
  ['Begin:', [addQuickstart, addInit]],
  ['Write workflows:', [addValidate, addPreflight, addGraph, addFmt]],
  ['Run them:', [addRun, addCreate, addStart, addAttach, addPause, addUnpause, addCancel]],
  ['Answer:', [addQuestions, addAnswer]],
  ['Look:', [addPs, addInspect]],
  ['Run again:', [addRetry, addRerun, addResume, addFork, addRewind]],
  ['Keep order:', [addRename, addParent, addArchive, addRm]],
  ['Server:', [addServer, addSystem, addAuth]],
];

const EXAMPLES = `
Examples:
  runyard init                           a project of this folder, with a first workflow
  runyard run deploy -I version=1.4      submit, start, follow; the exit code is the outcome
  runyard run deploy.dot -d              print the id and return
  runyard attach @last                   follow the newest run; Ctrl-C leaves it running
  runyard answer @last yes               answer what it asks
  runyard inspect @last                  its stages, and what failed first
  runyard rerun @last --only-failed      go on with what failed first
  runyard ps --all --status failed --since 7d`;

const RUN_HELP = `
What names a <run>:
  its id, or at least 4 characters of its beginning; the whole name of a workflow, for its newest run; @last
  attach, inspect, questions and ps --parent, which only show, also take a part of a name that no other workflow has`;

function exitCodeHelp(): string {
  const lines = exitCodeTable.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}`;
}
