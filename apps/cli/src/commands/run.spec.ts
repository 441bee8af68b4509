import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../../../../test/support/cli/command-line.js';
import { type FakeServer, json } from '../../../../test/support/cli/fake-server.js';
import { aRun, RUN_ID } from '../../../../test/support/cli/samples.js';

let line: CommandLine;
let server: FakeServer;

beforeEach(async () => {
  line = await CommandLine.open();
  ({ server } = line);
  await writeFile(path.join(line.home, 'w.dot'), 'digraph W { start; exit; a [prompt=P]; start -> a -> exit }');
});
afterEach(() => line.close());

describe('Ctrl-C', () => {
  it('while the run is being created names it, and does not start it', async () => {
    server.on('POST /api/v1/runs', (...call) => {
      process.emit('SIGINT');
      setTimeout(() => json(201, aRun(RUN_ID, { kind: 'submitted' }))(...call), 30);
    });
    expect(await line.type(['run', 'w.dot'])).toBe(130);
    expect(line.screen.written.stderr).toContain(`run ${RUN_ID} is created and not started`);
    expect(server.requests.map(({ call }) => call)).toEqual(['POST /api/v1/runs']);
  });

  it('before that makes none', async () => {
    const ended = line.type(['run', 'w.dot']);
    process.emit('SIGINT');
    expect(await ended).toBe(130);
    expect(line.screen.written.stderr).toContain('Interrupted; no run was created.');
    expect(server.requests).toEqual([]);
  });
});
