import { readdirSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runyard } from '../../apps/cli/src/program.js';
import type { components } from '#libs/api-client';
import { CapturedScreen } from '../support/cli/captured-screen.js';
import { testServer, type TestServer } from '../support/server.js';

type Preflighted = components['schemas']['PreflightResponse'];
interface Validated {
  workflows: { diagnostics: { rule: string; severity: string; path: string; range: unknown }[] }[];
}

const EXAMPLES = path.resolve('examples');
const workflows = readdirSync(EXAMPLES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.dot'))
  .map((entry) => path.relative(EXAMPLES, path.join(entry.parentPath, entry.name)));

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ worker: false });
});
afterAll(() => server.close());

async function type(...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const screen = new CapturedScreen();
  const env = {
    RUNYARD_HOME: server.host.stateDirectory,
    RUNYARD_SERVER: server.url,
    RUNYARD_TOKEN: server.caller.token!,
  };
  const exitCode = await runyard(args, { env, cwd: EXAMPLES, stdin: Readable.from([]), screen });
  return { exitCode, ...screen.written };
}

describe('the command line and the server', () => {
  it.each(workflows)('say the same about %s', async (workflow) => {
    const here = JSON.parse((await type('validate', workflow, '--json')).stdout) as Validated;
    const there = JSON.parse((await type('preflight', workflow, '--json')).stdout) as Preflighted;
    const found = there.workflow.diagnostics.map(({ rule, source_path, range }) => ({
      rule,
      path: source_path,
      range,
    }));
    const expected = here.workflows[0]!.diagnostics.map(({ rule, path, range }) => ({ rule, path, range }));
    const byRule = (a: { rule: string }, b: { rule: string }) => a.rule.localeCompare(b.rule);
    expect(found.sort(byRule)).toEqual(expected.sort(byRule));
  });

  it('draw a workflow of several files', async () => {
    const { exitCode, stdout, stderr } = await type('graph', 'documentation-writer/documentation.dot', '-d', 'lr');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('id="node-facts.check"');
  });
});
