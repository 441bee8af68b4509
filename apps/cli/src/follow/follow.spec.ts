import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../../../../test/support/cli/command-line.js';
import { type Answer, type FakeServer, json, stream } from '../../../../test/support/cli/fake-server.js';
import { aCommand, aLog, aQuestion, aRun, RUN_ID } from '../../../../test/support/cli/samples.js';

const RUN = `/api/v1/runs/${RUN_ID}`;
const question = aQuestion({ options: [{ key: 'A', label: 'Approve' }] });
const scope = { node_id: 'approve', stage_id: 'approve@1' };
const asked = { event: 'interview.started', ...scope, properties: { question_id: question.id, question: 'Ship it?' } };
const completed = { event: 'run.completed', properties: { reason: 'completed', timing: { wall_time_ms: 9_000 } } };

let line: CommandLine;
let server: FakeServer;

beforeEach(async () => {
  line = await CommandLine.open();
  ({ server } = line);
});
afterEach(() => line.close());

/** Follows the run; `lines` is what a person then types at the terminal, if one sits there. */
function attach(lines?: string[]): Promise<number> {
  return line.type(['attach', RUN_ID], { lines });
}

/** A server that takes a call, does not answer, and has the person press Ctrl-C. */
const interrupted: Answer = () => void setTimeout(() => process.emit('SIGINT'), 20);

describe('Ctrl-C', () => {
  it('leaves a run that says nothing, and says how to come back', async () => {
    server.on(`GET ${RUN}/attach`, (request, response, body) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
      interrupted(request, response, body);
    });
    expect(await attach()).toBe(130);
    expect(line.screen.written.stderr).toContain(`detached; the run goes on\n  → runyard attach ${RUN_ID}`);
  });

  it('leaves while the server owes an answer about a question', async () => {
    server.on(`GET ${RUN}/attach`, stream(aLog(asked))).on(`GET ${RUN}/questions`, interrupted);
    expect(await attach()).toBe(130);
  });

  it('leaves while an answer is being sent', async () => {
    server
      .on(`GET ${RUN}/attach`, (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const event of aLog(asked)) response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
      })
      .on(`GET ${RUN}/questions`, json(200, { data: [question], meta: { has_more: false, total: 1 } }))
      .on(`POST ${RUN}/questions/${question.id}/answer`, interrupted);
    expect(await attach(['A'])).toBe(130);
    expect(line.screen.written.stderr).toContain('detached');
  });

  it('says where the run is when it is pressed twice', async () => {
    server.on(`GET ${RUN}/attach`, (...call) => {
      void interrupted(...call);
      void interrupted(...call);
    });
    expect(await attach()).toBe(130);
    expect(line.screen.written.stderr).toContain('detached');
  });

  it('changes nothing about a run whose end was shown', async () => {
    server.on(`GET ${RUN}/attach`, stream(aLog(...aCommand('check', ''), completed))).on(`GET ${RUN}`, interrupted);
    expect(await attach()).toBe(0);
    expect(line.screen.written.stdout).toContain('✓ succeeded');
    expect(line.screen.written.stderr).not.toContain('detached');
  });
});

it('offers to go on with what failed where a stage did', async () => {
  const failure = { reason: 'workflow_error', detail: { message: 'stage check failed' } };
  const failed = { event: 'run.failed', properties: { failure, timing: { wall_time_ms: 900 } } };
  server
    .on(`GET ${RUN}`, json(200, aRun(RUN_ID, { kind: 'failed', reason: 'workflow_error' })))
    .on(`GET ${RUN}/events`, json(200, { data: [], meta: { has_more: false } }));
  const again = `→ runyard rerun ${RUN_ID} --only-failed`;
  server.on(`GET ${RUN}/attach`, stream(aLog(...aCommand('check', '', 3), failed)));
  expect(await attach()).toBe(1);
  expect(line.screen.written.stderr).toContain(again);
  line.clear();
  server.on(`GET ${RUN}/attach`, stream(aLog(failed)));
  expect(await attach()).toBe(1);
  expect(line.screen.written.stderr).not.toContain(again);
});

it('offers nothing where somebody wanted the run to end', async () => {
  const failure = { reason: 'cancelled', detail: { message: 'The run was cancelled.' } };
  const cancelled = { event: 'run.failed', properties: { failure, timing: { wall_time_ms: 900 } } };
  server
    .on(`GET ${RUN}`, json(200, aRun(RUN_ID, { kind: 'failed', reason: 'cancelled' })))
    .on(`GET ${RUN}/events`, json(200, { data: [], meta: { has_more: false } }))
    .on(`GET ${RUN}/attach`, stream(aLog(...aCommand('check', '', 3), cancelled)));
  expect(await attach()).toBe(1);
  expect(line.screen.written.stderr).toBe('');
  server.on(`GET ${RUN}/attach`, stream([]));
  expect(await attach()).toBe(1);
  expect(line.screen.written.stderr).toBe('');
});

it('ends when the server stays away for longer than was said, with the code for that and the way back', async () => {
  const gone: Answer = (_, response) => void response.destroy();
  const answers = [stream(aLog(...aCommand('check', '')).slice(0, 1)), ...Array.from({ length: 50 }, () => gone)];
  server.on(`GET ${RUN}/attach`, (...call) => answers.shift()?.(...call)).on(`GET ${RUN}`, gone);
  expect(await line.type(['attach', RUN_ID, '--reconnect-for', '1s'])).toBe(5);
  expect(line.screen.written.stderr).toContain(`has not answered for 1 s`);
  expect(line.screen.written.stderr).toContain(`→ runyard attach ${RUN_ID}`);
});

it.each(['0s', '200ms', 'long'])('does not take %s for a time in which a server could answer', async (time) => {
  expect(await line.type(['attach', RUN_ID, '--reconnect-for', time])).toBe(2);
  expect(server.requests).toEqual([]);
});

it('says that the server is out of reach, and when it is back', async () => {
  const log = aLog(...aCommand('check', ''), completed);
  const gone: Answer = (_, response) => void response.destroy();
  const answers = [stream(log.slice(0, 1)), gone, gone, stream(log)];
  server
    .on(`GET ${RUN}/attach`, (...call) => answers.shift()?.(...call))
    .on(`GET ${RUN}`, (...call) =>
      json(
        200,
        aRun(RUN_ID, answers.length > 0 ? { kind: 'running' } : { kind: 'succeeded', reason: 'completed' }),
      )(...call),
    )
    .on(`GET ${RUN}/events`, json(200, { data: log.slice(-1), meta: { has_more: false } }));
  expect(await attach()).toBe(0);
  expect(line.screen.written.stdout).toBe(
    '! connection lost, trying again\n● connected again\n✓ check        command       0.4s\n✓ succeeded  9.0s\n',
  );
});
