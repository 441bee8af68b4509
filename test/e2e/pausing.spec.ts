import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, workflow, type Question } from '../support/api-caller.js';
import { specServer } from '../support/spec-server.js';

const RUNS = '/api/v1/runs';
const PAUSED = { kind: 'paused', prior_block: null };
const PAUSED_IN_BLOCK = { kind: 'paused', prior_block: 'human_input_required' };
const BLOCKED = { kind: 'blocked', blocked_reason: 'human_input_required' };

const server = await specServer({ limit: 2 });
const { caller } = server;

/** A command that ends once this file is there. */
const untilThereIs = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.02; done`;
const create = (file: string): Promise<void> => writeFile(join(caller.directory, file), '');

async function refused(id: string, control: 'pause' | 'unpause'): Promise<void> {
  const { status } = await caller.send('POST', `${RUNS}/${id}/${control}`);
  expect([control, status]).toEqual([control, 409]);
}

async function statusOf(id: string): Promise<unknown> {
  return (await caller.get(id)).lifecycle.status;
}

describe('a run at work', () => {
  it('pauses between two stages, holds no slot, and goes on when it may', async () => {
    const source = workflow(`${command('first', untilThereIs('first-may-end'))} ${command('second', 'true')}
      start -> first -> second -> exit`);
    const { id } = await caller.begin(source);
    await caller.logs(id, 'command.started');
    const pausing = await caller.pause(id);
    expect(pausing.lifecycle).toMatchObject({ status: { kind: 'running' }, pending_control: 'pause' });
    await refused(id, 'pause');
    await refused(id, 'unpause');

    await create('first-may-end');
    const paused = await caller.reaches(id, 'paused');
    expect(paused.lifecycle).toMatchObject({ status: PAUSED, pending_control: null });
    const stages = (await caller.stages(id)).map(({ id: stage, status }) => `${stage} ${status}`);
    expect(stages).toEqual(['start@1 succeeded', 'first@1 succeeded']);
    await refused(id, 'pause');

    const others = Array.from({ length: server.limit }, () => caller.finish(workflow('start -> exit')));
    for (const { lifecycle } of await Promise.all(others)) expect(lifecycle.status.kind).toBe('succeeded');
    expect(await statusOf(id)).toEqual(PAUSED);

    expect((await caller.unpause(id)).lifecycle.status.kind).toMatch(/running|succeeded/);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
    expect(await caller.stages(id)).toHaveLength(4);
  });

  it('is cancelled while it is paused', async () => {
    const { id } = await caller.begin(workflow(`${command('work', 'sleep 0.3')} start -> work -> exit`));
    await caller.logs(id, 'command.started');
    await caller.pause(id);
    await caller.reaches(id, 'paused');
    expect((await caller.cancel(id)).lifecycle.status).toEqual({ kind: 'failed', reason: 'cancelled' });
  });

  it('pauses at once while it only waits for a moment, and lets the moment pass', async () => {
    const { id } = await caller.begin(workflow('rest [shape=insulator, duration="2200ms"] start -> rest -> exit'));
    const { properties } = await caller.logs(id, 'run.parked');
    expect((await caller.pause(id)).lifecycle.status).toEqual(PAUSED);
    const wakeAt = Date.parse(String(properties?.wake_at));
    await new Promise((resolve) => setTimeout(resolve, wakeAt + 500 - Date.now()));
    expect(await statusOf(id)).toEqual(PAUSED);
    expect((await caller.stages(id)).map(({ node_id }) => node_id)).toEqual(['start', 'rest']);
    await caller.unpause(id);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });

  it('starts no branch while it is paused', async () => {
    const source = workflow(`fork [shape=component, max_parallel=1] join [shape=tripleoctagon]
      ${command('a', untilThereIs('a-may-end'))} ${command('b', 'true')}
      start -> fork fork -> a fork -> b a -> join b -> join join -> exit`);
    const { id } = await caller.begin(source);
    await caller.logs(id, 'command.started');
    await caller.pause(id);
    await create('a-may-end');
    await caller.reaches(id, 'paused');
    expect((await caller.stages(id)).map(({ node_id }) => node_id)).not.toContain('b');
    await caller.unpause(id);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });
});

describe('a run that waits for a person', () => {
  const gate = (attributes = ''): string =>
    workflow(`ask [shape=hexagon, label="Ship it?" ${attributes}] ${command('ship', 'true')}
      start -> ask ask -> ship [label="Yes"] ask -> exit [label="No"] ship -> exit`);

  async function asking(source: string): Promise<{ id: string; question: Question }> {
    const { id } = await caller.begin(source);
    const [question] = await caller.asks(id);
    await caller.logs(id, 'run.parked');
    return { id, question: question! };
  }

  it('pauses at once, keeps its question, and is blocked again afterwards', async () => {
    const { id, question } = await asking(gate());
    expect((await caller.pause(id)).lifecycle).toMatchObject({ status: PAUSED_IN_BLOCK, pending_control: null });
    expect(await caller.questions(id)).toEqual([question]);
    await refused(id, 'pause');
    expect((await caller.unpause(id)).lifecycle.status).toEqual(BLOCKED);
    await refused(id, 'unpause');
    await caller.answer(id, question.id, { kind: 'selected', option_key: 'Y' });
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });

  it('takes an answer while it is paused, and acts on it afterwards', async () => {
    const { id, question } = await asking(gate());
    await caller.pause(id);
    await caller.answer(id, question.id, { kind: 'selected', option_key: 'Y' });
    expect(await statusOf(id)).toEqual(PAUSED);
    expect(await caller.questions(id)).toEqual([]);
    expect((await caller.get(id)).current_question).toBeNull();
    await caller.unpause(id);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
    expect((await caller.stages(id)).map(({ node_id }) => node_id)).toEqual(['start', 'ask', 'ship', 'exit']);
  });

  it('loses a question whose time passes while it is paused, and acts on that when it goes on', async () => {
    const { id } = await caller.begin(gate(', timeout="2500ms", human.default_choice=exit'));
    await caller.asks(id);
    await caller.pause(id);
    await caller.reaches(id, 'paused');
    const { properties, actor } = await caller.logs(id, 'interview.timeout');
    expect(Number(properties?.duration_ms)).toBeGreaterThanOrEqual(2_500);
    expect(actor).toEqual({ kind: 'system', system_kind: 'timeout' });
    expect(await statusOf(id)).toEqual(PAUSED);
    expect(await caller.questions(id)).toEqual([]);
    expect((await caller.stages(id)).map(({ node_id }) => node_id)).toEqual(['start', 'ask']);

    await caller.unpause(id);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
    expect((await caller.stages(id)).map(({ node_id }) => node_id)).toEqual(['start', 'ask', 'exit']);
  });

  it('pauses at once even if a question is about to run out of time', async () => {
    const { id } = await caller.begin(gate(', timeout="1900ms", human.default_choice=exit'));
    await caller.asks(id);
    await caller.pause(id);
    const paused = await caller.logs(id, 'run.paused');
    const { seq } = await caller.logs(id, 'interview.timeout');
    expect(seq).toBeGreaterThan(paused.seq);
    expect(await statusOf(id)).toEqual(PAUSED);
    await caller.unpause(id);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });

  it('pauses in one branch when the work of the others has ended', async () => {
    const source = workflow(`fork [shape=component] join [shape=tripleoctagon] ask [shape=hexagon, label="Go on?"]
      ${command('work', untilThereIs('work-may-end'))}
      start -> fork fork -> ask fork -> work ask -> join [label="Yes"] work -> join join -> exit`);
    const { id } = await caller.begin(source);
    const [question] = await caller.asks(id);
    await caller.logs(id, 'command.started');
    const { lifecycle } = await caller.pause(id);
    expect(lifecycle).toMatchObject({ status: BLOCKED, pending_control: 'pause' });
    await create('work-may-end');
    await caller.reaches(id, 'paused');
    expect(await statusOf(id)).toEqual(PAUSED_IN_BLOCK);
    await caller.answer(id, question!.id, { kind: 'selected', option_key: 'Y' });
    await caller.unpause(id);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });
});

describe('a run that is not at work', () => {
  it('is neither paused nor unpaused', async () => {
    const created = await caller.create(workflow('start -> exit'));
    await refused(created.id, 'pause');
    await refused(created.id, 'unpause');
    await caller.start(created.id);
    await caller.ends(created.id);
    await refused(created.id, 'pause');
    await refused(created.id, 'unpause');
    const stranger = await server.stranger();
    expect((await stranger.send('POST', `${RUNS}/${created.id}/pause`)).status).toBe(404);
  });
});
