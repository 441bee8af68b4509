import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { counted } from '../terminal/format.js';
import {
  editsOf,
  type Fork,
  forkRun,
  type ForkOptions,
  type KeyOption,
  TARGET,
  withForkOptions,
  withKeyOption,
} from './fork-options.js';
import { showTimeline } from './timeline.js';

export function addFork(program: Command, cli: Cli): void {
  withKeyOption(withForkOptions(program.command('fork')))
    .description('make a run that goes on from a checkpoint of another one, without starting it, and print its id')
    .argument('<run>', RUN)
    .argument('[target]', `${TARGET}; the latest checkpoint when absent`)
    .option('--list', 'list the checkpoints instead')
    .addHelpText('after', '\nExample:\n  runyard start "$(runyard fork @last plan -I version=1.5)"')
    .action(
      cli.action<ForkOptions & KeyOption & { list?: boolean }>(
        async (session, { list, ...options }, [selector = '', target]) => {
          const { screen, json, surroundings } = session;
          const client = await session.client();
          const id = await selectRun(client, selector);
          if (list) return showTimeline(session, id);
          const fork = await forkRun(client, id, target, await editsOf(options, surroundings.cwd), options);
          if (json) screen.json(fork);
          else screen.result(fork.new_run_id);
          if (!json) screen.hint(`${forkText(fork)}\n  → runyard start ${fork.new_run_id}`);
          return exitCodes.done;
        },
      ),
    );
}

/** What a fork keeps of its source, and where it goes on. */
export function forkText({ target, next_node_id, kept_stages, dropped_stages }: Fork): string {
  const dropped = dropped_stages.length === 0 ? '' : `, leaves ${counted(dropped_stages.length, 'stage')} behind`;
  return `forked at ${target}: goes on with ${next_node_id}, keeps ${counted(kept_stages.length, 'stage')}${dropped}`;
}
