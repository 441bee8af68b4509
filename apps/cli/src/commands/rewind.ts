import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { RUN, selectRun } from '../server/select-run.js';
import { keyHeader, type KeyOption, TARGET, withKeyOption } from './fork-options.js';
import { showTimeline } from './timeline.js';
import { plainText } from '../terminal/format.js';

export function addRewind(program: Command, cli: Cli): void {
  withKeyOption(program.command('rewind'))
    .description('go back to a checkpoint of an ended run in a new run, which replaces it; print the id of the new one')
    .argument('<run>', RUN)
    .argument('[target]', `${TARGET}; the latest checkpoint when absent`)
    .option('--list', 'list the checkpoints instead')
    .addHelpText('after', '\nExample:\n  runyard start "$(runyard rewind @last plan)"')
    .action(
      cli.action<KeyOption & { list?: boolean }>(async (session, { list, ...key }, [selector = '', target]) => {
        const { screen, json } = session;
        const client = await session.client();
        const id = await selectRun(client, selector);
        if (list) return showTimeline(session, id);
        const body = target === undefined ? {} : { target };
        const params = { path: { id }, header: keyHeader(key) };
        const rewound = await unwrap(client.api.POST('/api/v1/runs/{id}/rewind', { params, body }));
        if (json) screen.json(rewound);
        else screen.result(rewound.new_run_id);
        if (!rewound.archived) {
          screen.hint(
            `${screen.paint.yellow('!')} ${id} was not retired: ${plainText(rewound.archive_error ?? 'unknown')}`,
          );
          return exitCodes.failed;
        }
        if (!json)
          screen.hint(`rewound to ${rewound.target}; ${id} is archived\n  → runyard start ${rewound.new_run_id}`);
        return exitCodes.done;
      }),
    );
}
