import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CommandLine } from '../../../../test/support/cli/command-line.js';
import { problem } from '../../../../test/support/cli/fake-server.js';
import { exitCodes } from '../server/exit-code.js';

let line: CommandLine;
beforeEach(async () => {
  line = await CommandLine.open();
  line.server.on('GET /api/v1/runs/resolve', problem(404, 'No run has that. It is a part of deploy-blue.'));
});
afterEach(() => line.close());

it.each([
  ['archive deploy', 'exact'],
  ['unarchive deploy', 'exact'],
  ['rm deploy --yes', 'exact'],
  ['cancel deploy', 'exact'],
  ['pause deploy', 'exact'],
  ['unpause deploy', 'exact'],
  ['answer deploy yes', 'exact'],
  ['start deploy', 'exact'],
  ['resume deploy', 'exact'],
  ['retry deploy', 'exact'],
  ['rerun deploy', 'exact'],
  ['fork deploy', 'exact'],
  ['rewind deploy', 'exact'],
  ['rename deploy other', 'exact'],
  ['parent link deploy deploy', 'exact'],
  ['parent unlink deploy', 'exact'],
  ['attach deploy', 'unique'],
  ['inspect deploy', 'unique'],
  ['questions deploy', 'unique'],
  ['ps --parent deploy', 'unique'],
])('%s asks for the run by a match that is %s, and does nothing where there is none', async (words, match) => {
  expect(await line.type(words.split(' '))).toBe(exitCodes.misuse);
  const calls = line.server.requests.map(({ call, query }) => call + query);
  expect(new Set(calls)).toEqual(new Set([`GET /api/v1/runs/resolve?selector=deploy&match=${match}`]));
  expect(line.screen.written.stderr).toContain('It is a part of deploy-blue.');
});
