import { CommanderError } from 'commander';
import { expect, it } from '@jest/globals';
import { RunyardApiError, ServerAwayError } from '#libs/api-client';
import { ConfigError } from '#libs/config';
import { CliError, faultOf } from './fault.js';

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

it.each([
  ['wrong flags', new CommanderError(1, 'commander.unknownOption', ''), 2],
  ['help', new CommanderError(0, 'commander.helpDisplayed', ''), 0],
  ['a bad setting', new ConfigError('RUNYARD_LOG is "x".'), 2],
  ['no credentials', new RunyardApiError(401, 'Sign in.'), 4],
  ['a missing right', new RunyardApiError(403, 'No.'), 4],
  ['too many tokens that are wrong', new RunyardApiError(429, 'Wait.', 'too_many_wrong_tokens'), 4],
  ['an unknown run', new RunyardApiError(404, 'No such run.'), 2],
  ['a refused body', new RunyardApiError(400, 'version is missing'), 2],
  ['a conflict', new RunyardApiError(409, 'It has ended.'), 1],
  ['no server', new TypeError('fetch failed', { cause: refused }), 5],
  ['a server that went away', new ServerAwayError('01K', 120_000), 5],
  ['a defect', new TypeError('x is not a function'), 1],
  ['its own code', new CliError('No.', 130), 130],
])('ends with its own code for %s', (_, thrown, exitCode) => {
  expect(faultOf(thrown)).toMatchObject({ exitCode });
});

it('names the request, so that it can be found in the log of the server', () => {
  expect(faultOf(new RunyardApiError(500, 'Oops.', undefined, 'r-1')).message).toBe('Oops.\n(request r-1)');
  expect(faultOf(new RunyardApiError(409, 'It has ended.', undefined, 'r-1')).message).toBe('It has ended.');
});

it('says how to follow a run again whose server went away', () => {
  const { message, hint } = faultOf(new ServerAwayError('01K', 120_000));
  expect([message, hint]).toEqual([expect.stringContaining('not answered for 120 s'), '→ runyard attach 01K']);
});

it('calls what was typed by its flag', () => {
  const detail =
    'args.environment names "x".\nedits.workflow_source has no node "b".\nedits.inputs is wrong: edits.inputs';
  expect(faultOf(new RunyardApiError(400, detail)).message).toBe(
    '--environment names "x".\n--with-source has no node "b".\n--input is wrong: edits.inputs',
  );
});

it('says how a run leaves the archive', () => {
  expect(faultOf(new RunyardApiError(409, 'Archived.', 'run_archived')).hint).toContain('runyard unarchive <run>');
});
