/**
 * The process that starts the commands of one worker process. It has a session of its own, so that it goes on when the
 * worker dies, and ends by itself when nobody is connected and nothing runs any more.
 *
 * Arguments: its folder, the path of the socket it listens on, and, where it is not its own, the umask of commands. It writes one line to standard output once it does.
 */
import { rmSync } from 'node:fs';
import { Runner } from './runner.js';
import { RunnerServer } from './runner-server.js';

const [folder, socketPath, umask] = process.argv.slice(2);
if (!folder || !socketPath) throw new Error('usage: main.js <folder> <socket> [umask, in octal digits]');
if (umask !== undefined) process.umask(umask);

const runner = new Runner(folder);
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
process.stdout.write('ready\n');
