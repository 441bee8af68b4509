import type { Command } from 'commander';
import { unwrap } from '#libs/api-client';
import { readToken, saveToken } from '#libs/config';
import type { Cli } from '../cli.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';

export function addAuth(program: Command, cli: Cli): void {
  const auth = program.command('auth').description('tokens of the servers you talk to');
  auth
    .command('login')
    .description('check a token with the server and keep it, readable by you only')
    .addHelpText(
      'after',
      '\nExample:\n  runyard auth login --server https://runs.example.com --token-stdin < token.txt',
    )
    .action(
      cli.action(async (session) => {
        if (!session.options.tokenStdin) throw new CliError('Pipe the token in with --token-stdin.', exitCodes.misuse);
        const { server, token = '' } = await session.target();
        const { api } = session.clientOf({ server, token });
        await unwrap(api.GET('/api/v1/runs', { params: { query: { limit: 1 } } }));
        await saveToken(session.home, server, token);
        if (session.json) session.screen.json({ server, signed_in: true });
        else session.screen.result(`signed in to ${server}`);
        return exitCodes.done;
      }),
    );
  auth
    .command('status')
    .description('which server is meant, and whether there is a token for it; asks nobody')
    .addHelpText('after', '\nExample:\n  runyard auth status')
    .action(
      cli.action(async (session) => {
        const { server, token } = await session.target();
        const source =
          token === undefined ? null : token === (await readToken(session.home, server)) ? 'saved' : 'given';
        if (session.json) session.screen.json({ server, token: source });
        else session.screen.result(`${server}  ${source === null ? 'no token' : `token ${source}`}`);
        return source === null ? exitCodes.refused : exitCodes.done;
      }),
    );
  auth
    .command('token')
    .description('print the token of the server, for other programs')
    .addHelpText('after', '\nExample:\n  curl -H "Authorization: Bearer $(runyard auth token)" …')
    .action(
      cli.action(async (session) => {
        const { server, token } = await session.target();
        if (token === undefined) throw new CliError(`There is no token for ${server}.`, exitCodes.refused);
        if (session.json) session.screen.json({ server, token });
        else session.screen.result(token);
        return exitCodes.done;
      }),
    );
}
