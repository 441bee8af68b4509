import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RunEvent, TokenBilling } from '#libs/events';
import { compile, type Node } from '#libs/language';
import { ModelClient, ModelError, type ModelAnswer, type ModelObserver, type ModelRequest } from '../ports/model.js';
import type { Briefing } from '../preamble/briefing.js';
import type { OpenStage } from '../state/state.js';
import type { AttemptResult } from '../stage/outcome.js';
import { AgentHandler } from './agent-handler.js';
import { HandlerTable } from './handler-table.js';
import { FanInHandler, PromptHandler } from './prompt-handler.js';
import type { StageTask } from './stage-handler.js';

const billing: TokenBilling = {
  input_tokens: 10,
  output_tokens: 1,
  total_tokens: 11,
  reasoning_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  total_usd_micros: 5,
};

/** Gives these answers, in order, and remembers what it was asked. */
class Scripted extends ModelClient {
  readonly asked: ModelRequest[] = [];

  constructor(private readonly answers: readonly (string | Error)[]) {
    super();
  }

  serves(): boolean {
    return true;
  }

  async generate(request: ModelRequest, { onText }: ModelObserver): Promise<ModelAnswer> {
    this.asked.push({ ...request, messages: [...request.messages] });
    const answer = this.answers[this.asked.length - 1] ?? 'yes';
    if (answer instanceof Error) throw answer;
    for (const piece of answer.match(/\S+\s*/g) ?? []) onText?.(piece);
    return { text: answer, usage: billing };
  }
}

const stage = { id: 'think@1', node: 'think', execution: 1 } as OpenStage;
const told: Briefing = {
  fidelity: 'truncate',
  threadId: null,
  goal: 'Ship it',
  runId: 'R1',
  history: [],
  context: [],
  kept: {},
  nodeCount: 1,
  nodeOf: () => undefined,
};

let said: RunEvent[];
let threads: StageTask['threads'];
beforeEach(() => {
  said = [];
  threads = new Map();
});

function think(attributes: string): Node {
  const { graph } = compile(`digraph S { start; exit; think [${attributes}]; start -> think -> exit }`);
  return { ...graph!.nodes.find(({ id }) => id === 'think')!, provider: 'acme', model: 'wise' } as Node;
}

async function execute(client: ModelClient, attributes: string, more: Partial<StageTask> = {}): Promise<AttemptResult> {
  return new HandlerTable([new PromptHandler(client), new FanInHandler(client), new AgentHandler(client)]).execute({
    node: think(attributes),
    stage,
    dryRun: false,
    briefing: told,
    threads,
    textOf: async () => undefined,
    say: (event) => void said.push(event),
    show: () => undefined,
    sandbox: () => Promise.reject(new Error('no sandbox')),
    keep: async () => 'blob',
    alive: () => undefined,
    signal: new AbortController().signal,
    ...more,
  });
}

const PROMPT = 'shape=tab, prompt="What now?"';
const AGENT = 'prompt="Do it"';
const names = (): string[] => said.map(({ event }) => event);

describe('a prompt', () => {
  it('is asked once, after what is to be told', async () => {
    const client = new Scripted(['Go on.']);
    expect(await execute(client, PROMPT)).toMatchObject({
      kind: 'outcome',
      billing,
      outcome: {
        status: 'succeeded',
        notes: 'Stage completed: think',
        contextUpdates: { last_stage: 'think', last_response: 'Go on.', 'response.think': 'Go on.' },
      },
    });
    expect(client.asked).toMatchObject([
      { provider: 'acme', model: 'wise', messages: [{ role: 'user', text: 'Goal: Ship it\nRun ID: R1\n\nWhat now?' }] },
    ]);
    expect(names()).toEqual(['stage.prompt', 'agent.llm.started', 'agent.llm.first_output', 'prompt.completed']);
  });

  it('that joins branches says how many of them failed', async () => {
    const results = [
      { id: 'unit', status: 'succeeded' },
      { id: 'lint', status: 'failed' },
    ];
    const briefing: Briefing = { ...told, context: [['parallel.results', results]] };
    const join = 'shape=tripleoctagon, prompt="Sum up"';
    expect(await execute(new Scripted(['So so.']), join, { briefing })).toMatchObject({
      outcome: { status: 'succeeded', notes: 'Stage completed: think; 1 of 2 failed (lint)' },
    });
    expect(await execute(new Scripted(['Fine.']), join)).toMatchObject({
      outcome: { notes: 'Stage completed: think' },
    });
  });

  it('is shown while it is answered, every answer from its beginning', async () => {
    const shown: [string, number][] = [];
    const attributes = 'shape=tab, prompt="x", output_schema="{\\"type\\": \\"object\\"}", output_retries=1';
    const show: StageTask['show'] = (text, offset) => void shown.push([text, offset]);
    await execute(new Scripted(['Not an object', '{"ok": true}']), attributes, { show });
    expect(shown).toEqual([
      ['Not ', 0],
      ['an ', 4],
      ['object', 7],
      ['{"ok": ', 0],
      ['true}', 7],
    ]);
  });

  it('is asked with the controls of its node, and with none where it has none', async () => {
    const client = new Scripted([]);
    await execute(client, `${PROMPT}, max_tokens=50, reasoning_effort=low, speed=fast`);
    await execute(client, PROMPT);
    expect(client.asked[0]).toMatchObject({ maxTokens: 50, reasoningEffort: 'low', speed: 'fast' });
    for (const control of ['maxTokens', 'reasoningEffort', 'speed']) {
      expect(client.asked[1]).not.toHaveProperty(control);
    }
  });

  it('has its item behind a fence', async () => {
    const client = new Scripted([]);
    await execute(client, PROMPT, { item: { value: { a: 1 }, label: 'a', index: 0 } });
    expect(client.asked[0]!.messages[0]!.text).toMatch(
      /What now\?\n\n.*not instructions.*\n<untrusted-([0-9a-f]{16})>\n\{\n {2}"a": 1\n\}\n<\/untrusted-\1>$/,
    );
  });

  it('asks again in the same conversation until the answer fits, and pays for every call', async () => {
    const client = new Scripted(['no idea', '{"outcome":"failed","failure_reason":"too big"}']);
    const result = await execute(client, `${PROMPT}, output_schema=routing, output_retries=2`);
    expect(result).toMatchObject({
      outcome: { status: 'failed', failure: { message: 'too big', category: 'deterministic' } },
      billing: { total_tokens: 22, total_usd_micros: 10 },
    });
    expect(client.asked[1]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(client.asked[1]!.messages[2]!.text).toContain('no JSON object found');
    expect(client.asked[0]).toMatchObject({ format: 'json', strictFormat: true });
  });

  it('fails for good when no answer fits', async () => {
    const client = new Scripted(['no', 'nor this']);
    expect(await execute(client, `${PROMPT}, output_schema=routing, output_retries=1`)).toMatchObject({
      outcome: {
        status: 'failed',
        failure: { message: 'output schema validation failed after 1 repair attempt(s)', category: 'deterministic' },
      },
    });
    expect(client.asked).toHaveLength(2);
  });

  it('follows a directive that nobody asked for, and passes over one it cannot read', async () => {
    const routed = new Scripted(['Done. {"preferred_next_label":"ship","context_updates":{"x":1}}']);
    expect(await execute(routed, PROMPT)).toMatchObject({
      outcome: { preferredLabel: 'ship', contextUpdates: { x: 1, last_stage: 'think' } },
    });
    expect(await execute(new Scripted(['{"outcome":7}']), PROMPT)).toMatchObject({ outcome: { status: 'succeeded' } });
  });

  it.each([
    [true, 'error'],
    [false, 'outcome'],
  ])('tells a fault that may pass (%s) from one that does not', async (retryable, kind) => {
    const fault = new ModelError('overloaded', 'transient_infra', retryable);
    expect(await execute(new Scripted([fault]), PROMPT)).toMatchObject({ kind });
  });

  it('asks nobody in a dry run', async () => {
    const client = new Scripted([]);
    expect(await execute(client, PROMPT, { dryRun: true })).toMatchObject({
      outcome: {
        notes: '[Simulated] think',
        contextUpdates: { 'response.think': '[Simulated] Response for stage: think' },
      },
    });
    expect(client.asked).toEqual([]);
    expect(said).toEqual([]);
  });
});

describe('an agent', () => {
  const full = { briefing: { ...told, fidelity: 'full', threadId: 'main' } } as const;

  it('says when its session works, and what it was answered', async () => {
    await execute(new Scripted(['Done.']), AGENT);
    expect(names()).toEqual([
      'agent.session.activated',
      'stage.prompt',
      'agent.llm.started',
      'agent.llm.first_output',
      'agent.message',
      'agent.session.deactivated',
    ]);
    expect(said[4]).toMatchObject({
      properties: { text: 'Done.', model: { provider: 'acme', model_id: 'wise' }, billing },
    });
  });

  it('says that its session rests also when nobody waits for its answer any more', async () => {
    const signal = AbortSignal.abort();
    await expect(execute(new Scripted([new Error('aborted')]), AGENT, { signal })).rejects.toThrow('aborted');
    expect(names().at(-1)).toBe('agent.session.deactivated');
  });

  it('goes on with the conversation of its thread under full fidelity', async () => {
    const client = new Scripted(['one', 'two']);
    await execute(client, AGENT, full);
    await execute(client, AGENT, full);
    expect(client.asked[1]!.messages.map(({ text }) => text)).toEqual([
      expect.stringContaining('Pipeline progress'),
      'one',
      'Do it',
    ]);
  });

  it('is told everything where the conversation is gone', async () => {
    const client = new Scripted([]);
    await execute(client, AGENT, full);
    threads.clear();
    await execute(client, AGENT, full);
    expect(client.asked[1]!.messages).toHaveLength(1);
    expect(client.asked[1]!.messages[0]!.text).toContain('Pipeline progress');
  });

  it('keeps no conversation of an attempt that failed', async () => {
    await execute(new Scripted(['no']), `${AGENT}, output_schema=routing, output_retries=0`, full);
    expect(threads.size).toBe(0);
  });
});
