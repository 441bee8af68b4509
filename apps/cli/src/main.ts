import { runyard } from './program.js';
import { Screen } from './terminal/screen.js';

/** A reader of this output that goes away (`| head`) ends the process without a complaint. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { stdin, stdout } = process;

process.exitCode = await runyard(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin,
  ...(stdin.isTTY && stdout.isTTY && { terminal: { input: stdin, output: stdout } }),
  screen: new Screen(stdout, process.stderr, process.env),
});
