import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newUlid } from '#libs/kernel';
import { type Answer, command, type Question, type QuestionAnswer, workflow } from '../support/api-caller.js';
import { specServer } from '../support/spec-server.js';

const RUNS = '/api/v1/runs';
const CANCELLED = { kind: 'failed', reason: 'cancelled' };

const server = await specServer({ limit: 2 });
const { caller } = server;

//  start -> ask -> ship -> exit
//              \-> drop -/
const gate = (attributes = ''): string =>
  workflow(`ask [shape=hexagon, label="Ship it?" ${attributes}] ${command('ship', 'true')} ${command('drop', 'true')}
    start -> ask
    ask -> ship [label="[Y] Ship"] ask -> drop [label="[N] Drop"]
    ship -> exit drop -> exit`);
const SHIP: QuestionAnswer = { kind: 'selected', option_key: 'Y' };

/** Begins a run that asks one question, and waits until nobody holds it any more. */
async function asking(source: string): Promise<{ id: string; question: Question }> {
  const { id } = await caller.begin(source);
  const [question] = await caller.asks(id);
  await caller.logs(id, 'run.parked');
  return { id, question: question! };
}

function tell(id: string, question: string, body: unknown): Promise<Answer<{ errors: { detail: string }[] }>> {
  return caller.send('POST', `${RUNS}/${id}/questions/${question}/answer`, { body });
}

async function namesOf(id: string): Promise<string[]> {
  return (await caller.events(id)).map(({ event }) => event);
}

async function nodesOf(id: string): Promise<string[]> {
  return (await caller.stages(id)).map(({ node_id }) => node_id);
}

describe('a gate', () => {
  it('blocks its run until somebody answers, and shows what it asks', async () => {
    const { id, question } = await asking(gate(', timeout="1h"'));
    expect(question).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      text: 'Ship it?',
      stage: 'ask',
      question_type: 'multiple_choice',
      options: [
        { key: 'Y', label: '[Y] Ship' },
        { key: 'N', label: '[N] Drop' },
      ],
      allow_freeform: false,
      timeout_seconds: 3_600,
      context_display: null,
      review_target: null,
    });
    expect(await caller.get(id)).toMatchObject({
      lifecycle: { status: { kind: 'blocked', blocked_reason: 'human_input_required' } },
      current_question: { text: 'Ship it?' },
    });

    await caller.answer(id, question.id, SHIP);
    const run = await caller.ends(id);
    expect(run).toMatchObject({ lifecycle: { status: { kind: 'succeeded' } }, current_question: null });
    expect(await caller.questions(id)).toEqual([]);
    expect(await nodesOf(id)).toEqual(['start', 'ask', 'ship', 'exit']);
    const completed = await caller.logs(id, 'interview.completed');
    expect(completed).toMatchObject({ actor: { kind: 'user' }, properties: { answer: '[Y] Ship' } });
    const names = await namesOf(id);
    const talk = names.filter((name) => /^(?:interview\.|run\.(?:un)?blocked|run\.parked)/.test(name));
    expect(talk).toEqual(['interview.started', 'run.blocked', 'run.parked', 'interview.completed', 'run.unblocked']);
  });

  it('offers no choice whose condition is false, and takes none', async () => {
    const source = workflow(`ask [shape=hexagon] ${command('ship', 'true')} ${command('fix', 'true')}
      start -> ask
      ask -> fix [label="[F] Fix", condition="broken"] ask -> ship [label="[S] Ship"]
      fix -> exit ship -> exit`);
    const { id, question } = await asking(source);
    expect(question.options).toEqual([{ key: 'S', label: '[S] Ship' }]);
    expect(await tell(id, question.id, { kind: 'selected', option_key: 'F' })).toMatchObject({ status: 400 });
    await caller.answer(id, question.id, { kind: 'selected', option_key: 'S' });
    await caller.ends(id);
    expect(await nodesOf(id)).toEqual(['start', 'ask', 'ship', 'exit']);
  });

  it('holds no slot: as many as there are slots leave room for another run', async () => {
    const waiting = await Promise.all(Array.from({ length: server.limit + 1 }, () => asking(gate())));
    const other = await caller.finish(workflow('start -> exit'));
    expect(other.lifecycle.status.kind).toBe('succeeded');
    for (const { id, question } of waiting) await caller.answer(id, question.id, SHIP);
    for (const { id } of waiting) expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });

  it('tells later stages what was chosen', async () => {
    const source = workflow(`ask [shape=hexagon, label="Ship it?"]
      ${command('read', 'cat > chosen', ', stdin_source="human.gate.label"')}
      start -> ask ask -> read [label="[Y] Ship"] ask -> exit [label="[N] Drop"] read -> exit`);
    const { id, question } = await asking(source);
    await caller.answer(id, question.id, SHIP);
    await caller.ends(id);
    expect(await readFile(join(caller.directory, 'chosen'), 'utf8')).toBe('[Y] Ship');
    const { body } = await caller.send<{ context_values: Record<string, unknown> }>('GET', `${RUNS}/${id}/checkpoint`);
    expect(body.context_values).toMatchObject({
      'human.gate.selected': 'Y',
      'human.gate.label': '[Y] Ship',
      'human.gate.ask.question': 'Ship it?',
      'human.gate.ask.answer': '[Y] Ship',
    });
  });
});

describe('an answer', () => {
  const YES: QuestionAnswer = { kind: 'yes' };
  const NO: QuestionAnswer = { kind: 'no' };
  const text = (said: string): QuestionAnswer => ({ kind: 'text', text: said });
  const selected = (option_key: string): QuestionAnswer => ({ kind: 'selected', option_key });
  const several = (...option_keys: string[]): QuestionAnswer => ({ kind: 'multi_selected', option_keys });
  const YES_OR_NO = '{"kind":"yes"} or {"kind":"no"}';
  const ONE = '{"kind":"selected","option_key":…} with one of "Y", "N"';
  const ANY = '{"kind":"multi_selected","option_keys":[…]} with at least one of "Y", "N"';
  const TEXT = '{"kind":"text","text":…} with a text that is not blank';

  interface Case {
    type: string;
    /** What the question takes, in the words of a refusal. */
    takes: string;
    refused: QuestionAnswer[];
    accepted: [QuestionAnswer, node: string][];
    freeform?: boolean;
  }

  const cases: Case[] = [
    {
      type: 'yes_no',
      takes: YES_OR_NO,
      refused: [selected('Y'), several('Y'), text('yes')],
      accepted: [
        [YES, 'ship'],
        [NO, 'drop'],
      ],
    },
    {
      type: 'confirmation',
      takes: YES_OR_NO,
      refused: [selected('Y'), several(), text('yes')],
      accepted: [
        [YES, 'ship'],
        [NO, 'drop'],
      ],
    },
    {
      type: 'multiple_choice',
      takes: ONE,
      refused: [YES, NO, several('Y'), text('[Y] Ship'), selected('y'), selected('Q'), selected('')],
      accepted: [
        [selected('Y'), 'ship'],
        [selected('N'), 'drop'],
      ],
    },
    {
      type: 'multiple_choice',
      takes: `${ONE}, or ${TEXT}`,
      refused: [YES, several('Y'), text(''), text(' \n'), selected('Q')],
      accepted: [
        [selected('N'), 'drop'],
        [text('not like this'), 'note'],
        [text('[n] drop'), 'drop'],
      ],
      freeform: true,
    },
    {
      type: 'multi_select',
      takes: ANY,
      refused: [YES, selected('Y'), text('Y'), several('Y', 'Q'), several()],
      accepted: [
        [several('N', 'Y'), 'ship'],
        [several('N'), 'drop'],
      ],
    },
    {
      type: 'freeform',
      takes: TEXT,
      refused: [YES, selected('Y'), several('Y'), text('  ')],
      accepted: [[text('not like this'), 'note']],
      freeform: true,
    },
  ];

  it.each(cases)('to a $type question is $takes', async ({ type, takes, refused, accepted, freeform = false }) => {
    const note = freeform ? `${command('note', 'true')} ask -> note [freeform=true] note -> exit` : '';
    const source = gate(`, question_type=${type}`).replace(/}\s*$/, `${note} }`);
    for (const [index, [answer, node]] of accepted.entries()) {
      const { id, question } = await asking(source);
      expect(question).toMatchObject({ question_type: type, allow_freeform: freeform });
      for (const unfit of index === 0 ? refused : []) {
        const { status, body } = await tell(id, question.id, unfit);
        expect([unfit, status, body.errors[0]!.detail]).toEqual([
          unfit,
          400,
          `This ${type} question does not take that answer; it takes ${takes}.`,
        ]);
      }
      expect(await caller.questions(id)).toEqual([question]);
      await caller.answer(id, question.id, answer);
      expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
      expect(await nodesOf(id)).toEqual(['start', 'ask', node, 'exit']);
    }
  });

  it('that is no answer at all is refused, and leaves the question open', async () => {
    const { id, question } = await asking(gate());
    const bodies = ['', '{', '[]', {}, { kind: 'maybe' }, { kind: 'selected' }, { kind: 'selected', option_key: 1 }];
    for (const body of bodies) expect([body, (await tell(id, question.id, body)).status]).toEqual([body, 400]);
    expect(await caller.questions(id)).toEqual([question]);
    await caller.cancel(id);
  });

  it('is taken once, of however many at the same time', async () => {
    const { id, question } = await asking(gate());
    const keys = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 'Y' : 'N'));
    const answers = await Promise.all(keys.map((key) => tell(id, question.id, selected(key))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array<number>(9).fill(409)]);
    await caller.ends(id);
    const won = keys[answers.findIndex(({ status }) => status === 204)];
    expect(await nodesOf(id)).toContain(won === 'Y' ? 'ship' : 'drop');
    expect((await namesOf(id)).filter((name) => name === 'interview.completed')).toHaveLength(1);
  });

  it('to a question that is not open is refused', async () => {
    const { id, question } = await asking(gate());
    const unknown = await tell(id, newUlid(Date.now()), SHIP);
    expect(unknown.status).toBe(409);
    expect(unknown.body).toMatchObject({ errors: [{ code: 'question_not_open' }] });

    const other = await asking(gate());
    expect((await tell(id, other.question.id, SHIP)).status).toBe(409);
    expect((await tell(newUlid(Date.now()), question.id, SHIP)).status).toBe(404);
    const stranger = await server.stranger();
    expect((await stranger.send('GET', `${RUNS}/${id}/questions`)).status).toBe(404);
    const path = `${RUNS}/${id}/questions/${question.id}/answer`;
    expect((await stranger.send('POST', path, { body: SHIP })).status).toBe(404);

    await caller.answer(id, question.id, SHIP);
    await caller.ends(id);
    expect((await tell(id, question.id, SHIP)).status).toBe(409);
    await caller.cancel(other.id);
  });
});

describe('a question that nobody answers', () => {
  it('takes the default choice when its time is over', async () => {
    const run = await caller.finish(gate(', timeout="1s", human.default_choice=drop'));
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await nodesOf(run.id)).toEqual(['start', 'ask', 'drop', 'exit']);
    const timeout = await caller.logs(run.id, 'interview.timeout');
    expect(timeout.actor).toEqual({ kind: 'system', system_kind: 'timeout' });
    expect(Number(timeout.properties?.duration_ms)).toBeGreaterThanOrEqual(1_000);
  });

  it('is asked again, and in the end is no consent', async () => {
    const run = await caller.finish(gate(', timeout="400ms", retry_policy=linear'));
    expect(run.lifecycle).toMatchObject({
      status: { kind: 'failed', reason: 'workflow_error' },
      error: { message: 'stage ask failed with no outgoing fail edge: human gate timeout, no default' },
    });
    expect(await nodesOf(run.id)).toEqual(['start', 'ask']);
    const asked = (await caller.events(run.id)).filter(({ event }) => event.startsWith('interview.'));
    expect(asked.map(({ event }) => event)).toEqual(
      Array.from({ length: 3 }, () => ['interview.started', 'interview.timeout']).flat(),
    );
    expect(new Set(asked.map(({ properties }) => properties?.question_id)).size).toBe(3);
  });

  it('is answered by the engine in a run that asks for nobody', async () => {
    const run = await caller.finish(gate(), { args: { auto_approve: true } });
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await nodesOf(run.id)).toEqual(['start', 'ask', 'ship', 'exit']);
    const { actor } = await caller.logs(run.id, 'interview.completed');
    expect(actor).toEqual({ kind: 'system', system_kind: 'engine' });
    expect(await namesOf(run.id)).not.toContain('run.blocked');
  });
});

describe('questions in branches', () => {
  //  start -> fork -> first --> join -> exit
  //               \-> second -/
  //               \-> work --/
  const source = (work: string): string =>
    workflow(`fork [shape=component] join [shape=tripleoctagon] ${command('work', work)}
      first [shape=hexagon, label="First?"] second [shape=hexagon, label="Second?"]
      start -> fork fork -> first fork -> second fork -> work
      first -> join [label="Yes"] second -> join [label="Yes"] work -> join join -> exit`);

  it('are dropped with everything else when the run is cancelled', async () => {
    const { id } = await caller.begin(source('sleep 60'));
    const [first] = await caller.asks(id, 2);
    await caller.logs(id, 'command.started');
    await caller.cancel(id);
    expect((await caller.ends(id)).lifecycle.status).toEqual(CANCELLED);
    expect(await caller.questions(id)).toEqual([]);
    expect((await tell(id, first!.id, SHIP)).status).toBe(409);
    const cancelled = (await caller.stages(id)).filter(({ status }) => status === 'cancelled');
    expect(cancelled.map(({ node_id }) => node_id).toSorted()).toEqual(['first', 'fork', 'second', 'work']);
    expect((await namesOf(id)).filter((name) => name === 'interview.interrupted')).toHaveLength(2);
  });

  it('leave the other branches at work, and are answered in any order', async () => {
    const { id } = await caller.begin(source('while [ ! -e go-on ]; do sleep 0.05; done'));
    const [first, second] = await caller.asks(id, 2);
    expect([first!.stage, second!.stage]).toEqual(['first', 'second']);
    const run = await caller.get(id);
    expect([run.lifecycle.status.kind, run.current_question]).toEqual(['blocked', { text: 'First?' }]);
    expect((await page(id, 'limit=1')).meta).toEqual({ has_more: true, total: 2 });
    expect((await page(id, 'limit=1&offset=1')).data).toEqual([second]);

    await caller.answer(id, second!.id, { kind: 'selected', option_key: 'Y' });
    expect((await caller.get(id)).lifecycle.status.kind).toBe('blocked');
    await caller.answer(id, first!.id, { kind: 'selected', option_key: 'Y' });
    expect((await caller.get(id)).lifecycle.status.kind).toBe('running');
    await writeFile(join(caller.directory, 'go-on'), '');
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });

  async function page(id: string, query: string): Promise<{ data: Question[]; meta: object }> {
    return (await caller.send<{ data: Question[]; meta: object }>('GET', `${RUNS}/${id}/questions?${query}`)).body;
  }
});

describe('a question in a sub-workflow', () => {
  //  start -> manager -> ship -> exit
  //  child:   start -> ask -> exit
  //                       \-> never -> exit
  const child =
    'digraph C { start [shape=Mdiamond] exit [shape=Msquare] ask [shape=hexagon, label=Sure] never [shape=diamond] start -> ask ask -> exit [label=Yes] ask -> never [label=No] never -> exit }';
  const source = workflow(`manager [shape=house, stack.child_dot_source=${JSON.stringify(child)}]
    ${command('ship', 'true')} start -> manager -> ship -> exit`);

  it('blocks the run, and its answer lets the sub-workflow go on', async () => {
    const { id, question } = await asking(source);
    expect(question).toMatchObject({ text: 'Sure', stage: 'manager.ask', question_type: 'multiple_choice' });
    expect((await caller.get(id)).lifecycle.status.kind).toBe('blocked');
    await caller.answer(id, question.id, { kind: 'selected', option_key: 'Y' });
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
    expect(await nodesOf(id)).toEqual([
      'start',
      ...['manager', 'manager.start', 'manager.ask', 'manager.exit'],
      ...['ship', 'exit'],
    ]);
    const names = await namesOf(id);
    expect(names.filter((name) => name.startsWith('subgraph.'))).toEqual(['subgraph.started', 'subgraph.completed']);
  });
});

describe('a blocked run', () => {
  it('is cancelled at once, and then takes no answer', async () => {
    const { id, question } = await asking(gate());
    expect((await caller.cancel(id)).lifecycle.status).toEqual(CANCELLED);
    expect(await caller.questions(id)).toEqual([]);
    expect((await tell(id, question.id, SHIP)).status).toBe(409);
    expect((await caller.stages(id)).map(({ id: stage, status }) => [stage, status])).toEqual([
      ['start@1', 'succeeded'],
      ['ask@1', 'cancelled'],
    ]);
    const tail = ['run.cancel.requested', 'interview.interrupted', 'stage.failed', 'run.failed'];
    expect((await namesOf(id)).slice(-4)).toEqual(tail);
  });
});
