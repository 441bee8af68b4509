import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '#libs/api-client';
import { CommandLine } from '../../../../test/support/cli/command-line.js';
import { type FakeServer, json, problem, stream } from '../../../../test/support/cli/fake-server.js';
import { aLog, aQuestion, aRun, RUN_ID } from '../../../../test/support/cli/samples.js';

const RUN = `/api/v1/runs/${RUN_ID}`;
const options = [
  { key: 'A', label: '[A] Approve' },
  { key: 'R', label: '[R] Revise' },
];
const question = aQuestion({ options });
const yesOrNo = [
  { key: 'Y', label: '[Y] Ship it' },
  { key: 'N', label: '[N] Not yet' },
];
const ANSWER = `POST ${RUN}/questions/${question.id}/answer`;
const scope = { node_id: 'approve', stage_id: 'approve@1' };
const started = { event: 'stage.started', ...scope, properties: { handler_type: 'human' } };
const asked = { event: 'interview.started', ...scope, properties: { question_id: question.id, question: 'Ship it?' } };
const answered = {
  event: 'interview.completed',
  ...scope,
  properties: { question_id: question.id, answer: 'Approve' },
};
const left = {
  event: 'stage.completed',
  ...scope,
  properties: { timing: { wall_time_ms: 9_000 }, status: 'succeeded' },
};
const completed = { event: 'run.completed', properties: { reason: 'completed', timing: { wall_time_ms: 9_000 } } };
const log = aLog(started, asked, answered, left, completed);

let line: CommandLine;
let server: FakeServer;

beforeEach(async () => {
  line = await CommandLine.open();
  ({ server } = line);
  open(question);
});
afterEach(() => line.close());

function open(...questions: unknown[]): void {
  server.on(`GET ${RUN}/questions`, json(200, { data: questions, meta: { has_more: false, total: questions.length } }));
}

/** Types a command line; `lines` is what a person then types at the terminal, if one sits there. */
function type(words: string, lines?: string[], piped: string[] = []): Promise<number> {
  return line.type(words.split(' '), { lines, piped });
}

const answers = (): unknown[] =>
  server.requests.filter(({ call }) => call === ANSWER).map(({ body }) => JSON.parse(body) as unknown);
const done = (_: unknown, response: { writeHead(status: number): { end(): void } }): void =>
  response.writeHead(204).end();

describe('answer', () => {
  beforeEach(() => void server.on(ANSWER, done));

  it.each([
    ['approve A', { kind: 'selected', option_key: 'A' }],
    ['approve revise', { kind: 'selected', option_key: 'R' }],
    [`${question.id.slice(0, 8)} R`, { kind: 'selected', option_key: 'R' }],
    ['--option R', { kind: 'selected', option_key: 'R' }],
    ['R', { kind: 'selected', option_key: 'R' }],
  ])('%s sends what is meant', async (words, answer) => {
    expect(await type(`answer ${RUN_ID} ${words}`)).toBe(0);
    expect(answers()).toEqual([answer]);
    expect(line.screen.written.stdout).toBe(`${RUN_ID}  approve answered\n`);
  });

  it.each([
    [{ question_type: 'yes_no' as const }, '--yes', { kind: 'yes' }],
    [{ question_type: 'confirmation' as const }, 'no', { kind: 'no' }],
    [{ options: yesOrNo }, '--yes', { kind: 'selected', option_key: 'Y' }],
    [{ options: yesOrNo, allow_freeform: true }, '--no', { kind: 'selected', option_key: 'N' }],
    [{ options: yesOrNo }, 'y', { kind: 'selected', option_key: 'Y' }],
    [{ question_type: 'freeform' as const }, '--yes', { kind: 'text', text: 'yes' }],
    [{ options, allow_freeform: true }, 'approve --text later', { kind: 'text', text: 'later' }],
  ])('a question %j is answered by %s', async (facts, words, answer) => {
    open(aQuestion(facts));
    expect(await type(`answer ${RUN_ID} ${words}`)).toBe(0);
    expect(answers()).toEqual([answer]);
  });

  it('says in words what a question takes', async () => {
    expect(await type(`answer ${RUN_ID} --yes`)).toBe(2);
    expect(line.screen.written.stderr).toBe('✗ --yes does not answer approve.\n  Give A or R.\n');
  });

  it.each([
    '',
    'Q',
    '--yes',
    '--text later',
    'approve Q',
    'other A',
    'approve A --yes',
    '--yes --no',
    '--option A R',
    '--option Z',
    '--text a --text-stdin',
    '--text-stdin',
  ])('%s sends nothing and ends as wrong use', async (words) => {
    expect(await type(`answer ${RUN_ID} ${words}`.trim())).toBe(2);
    expect(answers()).toEqual([]);
  });

  it('sends the text that is piped in', async () => {
    open({ ...question, allow_freeform: true });
    expect(await type(`answer ${RUN_ID} --text-stdin`, undefined, ['Not yet:\n', 'two tests fail.\n'])).toBe(0);
    expect(answers()).toEqual([{ kind: 'text', text: 'Not yet:\ntwo tests fail.' }]);
  });

  it('says which options there are when another one is named', async () => {
    expect(await type(`answer ${RUN_ID} --option Z`)).toBe(2);
    expect(line.screen.written.stderr).toContain('"Z" does not answer approve.\n  Give A or R.');
  });

  it('asks at the terminal until something typed is an answer', async () => {
    expect(await type(`answer ${RUN_ID}`, ['what', 'a'])).toBe(0);
    expect(answers()).toEqual([{ kind: 'selected', option_key: 'A' }]);
    expect(line.screen.written.stdout).toContain('? approve  Ship it?\n    A  Approve\n    R  Revise\n');
    expect(line.screen.written.stdout).toContain('Type A or R.');
  });

  it('sends nothing when the person leaves', async () => {
    expect(await type(`answer ${RUN_ID}`, [])).toBe(130);
    expect(answers()).toEqual([]);
  });

  it('names the questions when several are open, and says when none is', async () => {
    open(question, aQuestion({ id: '01K2ZP6Q8VQQQQQQQQQQQQQQQ9', stage: 'other' }));
    expect(await type(`answer ${RUN_ID} --yes`)).toBe(2);
    expect(line.screen.written.stderr).toContain(`${question.id}  approve  Ship it?`);
    open();
    expect(await type(`answer ${RUN_ID} --yes`)).toBe(1);
  });
});

describe('questions', () => {
  it('of one run are shown, or printed as one document', async () => {
    expect(await type(`questions ${RUN_ID}`)).toBe(0);
    expect(line.screen.written.stdout).toContain(`→ runyard answer ${RUN_ID} approve\n`);
    line.clear();
    expect(await type(`questions ${RUN_ID} --json`)).toBe(0);
    expect(JSON.parse(line.screen.written.stdout)).toEqual([{ run_id: RUN_ID, ...question }]);
  });

  it('that branches ask at one node are told apart by their ids', async () => {
    const other = aQuestion({ id: '01K2ZP6Q8VRRRRRRRRRRRRRRRR' });
    server.on(`GET ${RUN}/questions`, json(200, { data: [question, other], meta: { has_more: false, total: 2 } }));
    expect(await type(`questions ${RUN_ID}`)).toBe(0);
    expect(line.screen.written.stdout).toContain(`→ runyard answer ${RUN_ID} ${other.id}\n`);
  });

  it('of all runs come from those that ask', async () => {
    const asking = { ...aRun(), current_question: { text: 'Ship it?' } };
    const runs = [asking, aRun('01K1AAAAAAAAAAAAAAAAAAAAAA')];
    server.on('GET /api/v1/runs', json(200, { data: runs, meta: { has_more: false, total: 2 } }));
    expect(await type('questions')).toBe(0);
    expect(line.screen.written.stdout).toContain('? approve  Ship it?');
  });
});

describe('a followed run', () => {
  it('that asks ends with 3 where nobody can answer, and names the command that does', async () => {
    server.on(`GET ${RUN}/attach`, stream(log.slice(0, 2)));
    for (const words of ['', ' --json']) {
      expect(await type(`attach ${RUN_ID}${words}`, words ? ['A'] : undefined)).toBe(3);
      expect(line.screen.written.stderr).toContain(`runyard answer ${RUN_ID} approve <answer>`);
    }
    expect(answers()).toEqual([]);
  });

  it('is not stopped by a question that was closed long ago', async () => {
    open();
    server
      .on(`GET ${RUN}/attach`, stream(log))
      .on(`GET ${RUN}/events`, json(200, { data: log.slice(-1), meta: { has_more: true } }))
      .on(`GET ${RUN}`, json(200, aRun(RUN_ID, { kind: 'succeeded', reason: 'completed' })));
    expect(await type(`attach ${RUN_ID}`)).toBe(0);
    expect(line.screen.written.stdout).toContain('✓ approve      human         9.0s  Approve');
  });

  describe('with a person at the terminal', () => {
    let goOn = (): void => undefined;

    beforeEach(() => {
      server
        .on(`GET ${RUN}/attach`, (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          const send = (event: EventEnvelope): unknown =>
            response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
          log.slice(0, 2).forEach(send);
          goOn = () => {
            log.slice(2).forEach(send);
            response.end();
          };
        })
        .on(`GET ${RUN}/events`, json(200, { data: log.slice(-1), meta: { has_more: true } }))
        .on(`GET ${RUN}`, json(200, aRun(RUN_ID, { kind: 'succeeded', reason: 'completed' })));
    });

    it('goes on when they answer, perhaps after an answer that the server does not take', async () => {
      server.on(ANSWER, (request, response, body) => {
        problem(400, 'Not that one.')(request, response, body);
        server.on(ANSWER, (_, next) => {
          next.writeHead(204).end();
          goOn();
        });
      });
      expect(await type(`attach ${RUN_ID}`, ['R', 'A'])).toBe(0);
      expect(answers()).toEqual([
        { kind: 'selected', option_key: 'R' },
        { kind: 'selected', option_key: 'A' },
      ]);
      expect(line.screen.written.stdout).toContain('Not that one.');
    });

    it('goes on when somebody else was faster', async () => {
      server.on(ANSWER, (request, response, body) => {
        problem(409, 'It is answered already.')(request, response, body);
        goOn();
      });
      expect(await type(`attach ${RUN_ID}`, ['R'])).toBe(0);
      expect(line.screen.written.stdout).toContain('It is answered already.');
    });

    it('is left alone when they leave, or when an answer cannot be sent', async () => {
      expect(await type(`attach ${RUN_ID}`, [])).toBe(130);
      expect(line.screen.written.stderr).toContain(`runyard attach ${RUN_ID}`);
      server.on(ANSWER, problem(500, 'Oops.'));
      expect(await type(`attach ${RUN_ID}`, ['A'])).toBe(1);
      expect(line.screen.written.stderr).toContain('Oops.');
    });
  });
});
