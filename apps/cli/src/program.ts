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
import type { ExitCode } from './server/exit-code.js';
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
    .showSuggestionAfterError()
    .exitOverride();
  addQuickstart(program, cli);
  addRun(program, cli);
  addCreate(program, cli);
  addStart(program, cli);
  addAttach(program, cli);
  addPs(program, cli);
  addInspect(program, cli);
  addQuestions(program, cli);
  addAnswer(program, cli);
  addPause(program, cli);
  addUnpause(program, cli);
  addCancel(program, cli);
  addRetry(program, cli);
  addArchive(program, cli);
  addRm(program, cli);
  addRename(program, cli);
  addParent(program, cli);
  addResume(program, cli);
  addFork(program, cli);
  addRewind(program, cli);
  addRerun(program, cli);
  addValidate(program, cli);
  addPreflight(program, cli);
  addGraph(program, cli);
  addFmt(program, cli);
  addServer(program, cli);
  addSystem(program, cli);
  addAuth(program, cli);
  return cli.run(program, args);
}
