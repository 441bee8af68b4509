/**
 * The process that starts the commands of one worker process. It has a session of its own, so that it goes on when the
 * worker dies, and ends by itself when nobody is connected and nothing runs any more.
 *
 * Arguments: its folder, the path of the socket it listens on, and its options, as JSON. It
 * writes one line to standard output once it does, with its process id.
 */
import { rmSync } from 'node:fs';
import { Runner, type RunnerOptions } from './runner.js';
import { RunnerServer } from './runner-server.js';

const [folder, socketPath, given] = process.argv.slice(2);
if (!folder || !socketPath || !given) throw new Error('usage: main.js <folder> <socket> <options>');

const options = JSON.parse(given) as RunnerOptions;
if (options.umask !== undefined) process.umask(options.umask);
const runner = new Runner(folder, options);
const server = new RunnerServer(runner, leave);

/** The folder goes last: while it is there, somebody may still look for the runner in it. */
function leave(): void {
  rmSync(folder!, { recursive: true, force: true });
  process.exit(0);
}

for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(name, () => void runner.killAll(`The runner got ${name}.`).finally(leave));
}

/** A defect ends the runner, and with it what it started: without it nothing would watch over the leases. */
process.once('uncaughtException', (error) => {
  process.stderr.write(`${error.stack ?? String(error)}\n`);
  void runner.killAll('The runner failed.').finally(() => process.exit(1));
});

await server.listen(socketPath);
process.stdout.write(`ready ${process.pid}\n`);
