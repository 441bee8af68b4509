import { describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { testBuild } from '../support/standalone.js';

jest.setTimeout(180_000);

const WORKFLOWS = 40;
const SEED = '1000';
const AT_ONCE = '4';

const build = testBuild();

describe('V1: random authors', () => {
  it('end no process, hold nobody up and get a name for every refusal', async () => {
    const env = { ...process.env, RUNYARD_PROGRAM: build.program };
    const said = await promisify(execFile)(
      process.execPath,
      ['test/fuzz/authors.mjs', String(WORKFLOWS), SEED, AT_ONCE],
      {
        env,
      },
    );
    expect(said.stdout).toContain(`${WORKFLOWS} workflows from seed ${SEED}`);
  });
});
