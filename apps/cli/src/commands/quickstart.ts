import type { Command } from 'commander';
import { packageRoot } from '#libs/config';
import type { Cli } from '../cli.js';
import { showRun } from '../follow/follow.js';
import { runningServer, startServer } from '../server/local-server.js';
import { Session } from '../session.js';
import { exitCodes } from '../server/exit-code.js';
import { startRun, submit } from './submission.js';

/** The example, from the root of the package. */
export const WORKFLOW = 'examples/quickstart/workflow.dot';

export function addQuickstart(program: Command, cli: Cli): void {
  program
    .command('quickstart')
    .description('start a server if none runs, run the example workflow and follow it')
    .addHelpText('after', '\nExample:\n  runyard quickstart')
    .action(
      cli.action(async (session) => {
        const named = session.options.server ?? session.surroundings.env.RUNYARD_SERVER;
        const url = named ?? (await ensureServer(session));
        const example = new Session({ ...session.surroundings, cwd: packageRoot() }, session.options);
        try {
          const { id } = await submit(example, WORKFLOW, { input: [], label: [] });
          const client = await example.client();
          await startRun(client, id);
          const exitCode = await showRun(session, client, id);
          if (exitCode !== exitCodes.interrupted) session.screen.hint(nextSteps(id, url).join('\n'));
          if (named === undefined)
            session.screen.hint('\nThe server keeps running. Stop it with: npx runyard server stop');
          return exitCode;
        } finally {
          await example.close();
        }
      }),
    );
}

/** The address of this home's server, which is started when it does not run. */
async function ensureServer({ home, screen, surroundings }: Session): Promise<string> {
  const running = await runningServer(home);
  if (running) return running.url;
  const text = 'starting the server (first start prepares the database)…';
  if (!screen.isLive) screen.hint(text);
  const live = screen.liveLine((frame) => `${screen.paint.cyan(frame)} ${text}`);
  try {
    return (await startServer(home, surroundings.env)).url;
  } finally {
    live.stop();
  }
}

function nextSteps(id: string, url: string): string[] {
  const run = `${url}/api/v1/runs/${id}`;
  return [
    '',
    `  run  ${id}`,
    `  API  ${run}`,
    '',
    'Next:',
    '  npx runyard ps --all    every run; one of them: npx runyard inspect @last',
    `  npx runyard run ${WORKFLOW}    edit it first`,
    `  curl -H "Authorization: Bearer $(npx runyard auth token)" ${run}/events`,
  ];
}
