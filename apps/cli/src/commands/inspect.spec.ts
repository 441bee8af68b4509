import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { EventEnvelope } from '#libs/api-client';
import { CommandLine } from '../../../../test/support/cli/command-line.js';
import { type FakeServer, json } from '../../../../test/support/cli/fake-server.js';
import { aCommand, aLog, aRun, RUN_ID } from '../../../../test/support/cli/samples.js';

const SOURCE_ID = '01K2ZP6Q8V9Y3T5N7M1R4S6X8C';
const RUN = `/api/v1/runs/${RUN_ID}`;

let line: CommandLine;
let server: FakeServer;

beforeEach(async () => {
  line = await CommandLine.open();
  ({ server } = line);
  const stage = (name: string, status: string) => ({ id: `${name}@1`, handler: 'command', status, wall_time_ms: 400 });
  const data = [stage('build', 'succeeded'), stage('test', 'failed'), stage('late', 'failed')];
  server
    .on(`GET ${RUN}`, json(200, aRun(RUN_ID, { kind: 'failed', reason: 'workflow_error' })))
    .on(`GET ${RUN}/stages`, json(200, { data, meta: { has_more: false, total: 3 } }));
});
afterEach(() => line.close());

const origin = { run_id: SOURCE_ID, seq: 4 };
const log = aLog(
  ...aCommand('build', 'fine').map((event) => ({ ...event, origin })),
  ...aCommand('test', 'one\ntwo of three fail\n', 3),
  ...aCommand('late', 'too late', 4),
);

/** The log in the pages that the server gives, the newest first where that is asked. */
function logIs(beginning: EventEnvelope[], end?: EventEnvelope[]): void {
  server.on(`GET ${RUN}/events`, (request, response, body) => {
    const isBackwards = request.url?.includes('order=desc') ?? false;
    const data = isBackwards ? [...(end ?? [])].reverse() : beginning;
    json(200, { data, meta: { has_more: end !== undefined } })(request, response, body);
  });
}

async function inspect(): Promise<string> {
  expect(await line.type(['inspect', RUN_ID])).toBe(0);
  return line.screen.written.stdout;
}

it('shows which stage failed first and how, where a fork comes from, and what was copied', async () => {
  logIs(log);
  const shown = await inspect();
  expect(shown).toContain(`fork of    ${SOURCE_ID}`);
  expect(shown).toContain('build@1  command  succeeded (copied)  0.4s');
  expect(shown).toContain('failed first:\n✗ test         command       0.4s  exit 3\n    one\n    two of three fail\n');
});

it('passes over a failure after which the node succeeded', async () => {
  const again = {
    stage_id: 'test@2',
    node_id: 'test',
    properties: { status: 'succeeded', timing: { wall_time_ms: 1 } },
  };
  const late = aCommand('late', 'too late', 4);
  logIs(aLog(...aCommand('test', 'red', 3), { event: 'stage.completed', ...again }, ...late));
  expect(await inspect()).toContain('failed first:\n✗ late         command       0.4s  exit 4\n');
});

it('names the item that a stage of a for_each worked on', async () => {
  const branch = { parallel_branch_id: 'test@1:0', node_id: 'test', stage_id: 'test@1' };
  const started = { ...branch, event: 'stage.started', properties: { handler_type: 'prompt' } };
  logIs(aLog({ ...branch, event: 'parallel.branch.started', properties: { index: 0, item_label: 'a.ts' } }, started));
  expect(await inspect()).toMatch(/test@1 .* 0\.4s +a\.ts\n/);
});

it('says of a partial success what was not', async () => {
  const notes = 'Joined 3 parallel branches: 1 of 3 failed (lint)';
  const properties = { status: 'partially_succeeded', notes, timing: { wall_time_ms: 0 } };
  logIs(aLog({ event: 'stage.completed', stage_id: 'test@1', node_id: 'test', properties }));
  expect(await inspect()).toMatch(/test@1 .* 0\.4s +Joined 3 parallel branches: 1 of 3 failed \(lint\)\n/);
});

it('looks at the beginning and the end of a long log', async () => {
  logIs(log.slice(0, 3), log.slice(2));
  expect(await inspect()).toContain('failed first:\n✗ test         command       0.4s  exit 3\n');
  expect(server.requests.filter(({ call }) => call.endsWith('/events'))).toHaveLength(2);
});
