import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RunEvent } from '#libs/events';
import type { CommandNode } from '#libs/language';
import { aRun } from '../../../../test/support/a-run.js';
import { ended, ScriptedSandbox } from '../../../../test/support/scripted-sandbox.js';
import { SandboxUnavailableError, type CommandInput } from '../ports/sandbox.js';
import type { AttemptResult } from '../stage/outcome.js';
import { CommandHandler } from './command-handler.js';
import type { StageTask } from './stage-handler.js';

function inputFrom(text: string | undefined): CommandInput | undefined {
  if (text === undefined) return undefined;
  return async function* () {
    yield Buffer.from(text);
  };
}

describe('CommandHandler', () => {
  let sandbox: ScriptedSandbox;
  let said: RunEvent[];
  let kept: string[];
  let reserved: number[];
  beforeEach(() => {
    reserved = [];
    sandbox = new ScriptedSandbox();
    said = [];
    kept = [];
  });

  // start -> build -> exit
  function execute(
    attributes = '',
    { lost = [], ...more }: Partial<StageTask<'command'>> & { lost?: string[] } = {},
    context: Record<string, string> = {},
  ) {
    const run = aRun(`build [script="make all\ninstall", ${attributes}] start -> build -> exit`).at('build');
    return new CommandHandler().execute({
      node: run.definition.index.node('build') as CommandNode,
      stage: { ...run.open!, lostAttemptIds: lost },
      dryRun: false,
      inputOf: async (key) => inputFrom(context[key]),
      reserve: async (bytes) => void reserved.push(bytes),
      say: (event) => said.push(event),
      sandbox: async () => sandbox,
      keep: async (value) => `blob://sha256/${kept.push(Buffer.from(value).toString())}`,
      threads: new Map(),
      show: () => undefined,
      alive: () => undefined,
      signal: new AbortController().signal,
      ...more,
    });
  }

  it('hands the script to the sandbox, marked with the attempt', async () => {
    await execute('timeout=90s, language=python');
    expect(sandbox.commands).toEqual([
      {
        attemptId: '01J0000000000000000000000A/build@1/1/1',
        script: 'make all\ninstall',
        language: 'python',
        timeoutMs: 90_000,
      },
    ]);
  });

  it('shows what is printed as it comes, of a burst the end, and stays alive by it', async () => {
    const shown: [string, number][] = [];
    let signs = 0;
    await execute('', { show: (text, offset) => void shown.push([text, offset]), alive: () => void (signs += 1) });
    for (const text of ['one\n', `${'x'.repeat(10_000)}\n`, 'two']) sandbox.observer?.onOutput?.(text);
    expect(shown).toEqual([
      ['one\n', 0],
      [`${'x'.repeat(8_191)}\n`, 1_813],
      ['two', 10_005],
    ]);
    expect(signs).toBe(3);
  });

  it('says what it starts and how that ended', async () => {
    sandbox.next = ended('done\n');
    await execute();
    const script = 'make all\ninstall';
    expect(said).toEqual([
      {
        event: 'command.started',
        properties: { script, command: 'bash -c', language: 'shell', timeout_ms: 600_000 },
      },
      {
        event: 'command.completed',
        properties: {
          output: 'done\n',
          exit_code: 0,
          duration_ms: 40,
          termination: 'exited',
          output_bytes: 5,
          live_streaming: true,
        },
      },
    ]);
  });

  it('succeeds with exit code 0, and leaves the output in the context', async () => {
    sandbox.next = ended('done\n');
    expect(await execute()).toEqual({
      kind: 'outcome',
      outcome: {
        status: 'succeeded',
        notes: 'Script completed: make all',
        contextUpdates: { 'command.output': 'done\n' },
      },
      toolTimeMs: 40,
    });
  });

  it('fails with any other, for a reason that will not pass, and quotes the output', async () => {
    sandbox.next = ended('no such target\n', { exitCode: 3 });
    expect(await execute()).toMatchObject({
      kind: 'outcome',
      outcome: {
        status: 'failed',
        contextUpdates: { 'command.output': 'no such target\n' },
        failure: {
          message: 'Script failed with exit code: 3\n\n## output\nno such target\n',
          category: 'deterministic',
          exec_output_tail: { stdout: 'no such target\n', stdout_truncated: false },
        },
      },
    });
  });

  it.each(['503 service unavailable', 'the job was cancelled', 'token limit reached'])(
    'takes nothing a command says for the class of its failure: %s',
    async (output) => {
      sandbox.next = ended(output, { exitCode: 1 });
      expect(await execute()).toMatchObject({ outcome: { failure: { category: 'deterministic' } } });
    },
  );

  it('takes exit code 75 (EX_TEMPFAIL) for a failure that may pass, and asks for another attempt', async () => {
    sandbox.next = ended('', { exitCode: 75 });
    expect(await execute()).toMatchObject({ retryWanted: true, outcome: { failure: { category: 'transient_infra' } } });
  });

  it.each(['max_retries=2', 'retry_policy=linear'])(
    'asks for another attempt after any failure where its own node says so: %s',
    async (attributes) => {
      sandbox.next = ended('', { exitCode: 1 });
      expect(await execute(attributes)).toMatchObject({
        retryWanted: true,
        outcome: { status: 'failed', failure: { category: 'deterministic' } },
      });
    },
  );

  it('asks for none where its node says nothing, and says why', async () => {
    sandbox.next = ended('', { exitCode: 1 });
    const result = await execute();
    expect(result).not.toHaveProperty('retryWanted');
    expect(result).toMatchObject({ finalBecause: expect.stringContaining('max_retries or retry_policy of its own') });
  });

  it('asks for none when its output does not fit, whatever its node says', async () => {
    sandbox.next = ended('no JSON', { exitCode: 0 });
    const result = await execute('output_schema=routing, max_retries=2');
    expect(result).toMatchObject({
      outcome: { status: 'failed' },
      finalBecause: expect.stringContaining('output_schema'),
    });
    expect(result).not.toHaveProperty('retryWanted');
  });

  it('calls the exit code of a killed command -1', async () => {
    sandbox.next = ended('', {});
    expect(await execute()).toMatchObject({
      outcome: { failure: { message: expect.stringMatching(/exit code: -1\n/) } },
    });
    expect(said.at(-1)?.properties).not.toHaveProperty('exit_code');
  });

  it('takes the time limit for a fault that may pass', async () => {
    sandbox.next = ended('half', { termination: 'timed_out' });
    expect(await execute('timeout=2s')).toMatchObject({
      kind: 'error',
      retryable: true,
      toolTimeMs: 40,
      failure: {
        message: 'Script timed out after 2000ms: make all\n\n## output\nhalf',
        category: 'transient_infra',
        system_actor: 'timeout',
        exec_output_tail: { stdout: 'half' },
      },
    });
  });

  it('does not try a cancelled command again', async () => {
    sandbox.next = ended('', { termination: 'cancelled' });
    expect(await execute()).toMatchObject({ kind: 'error', retryable: false, failure: { category: 'canceled' } });
  });

  it.each([
    ['a command', []],
    ['what a lost worker began', ['01J/build@1/1/1']],
  ])('can cancel %s, and takes its output for a sign of life', async (_, lost) => {
    let signs = 0;
    const { signal } = new AbortController();
    sandbox.left.set('01J/build@1/1/1', ended(''));
    await execute('', { signal, alive: () => signs++, lost });
    expect(sandbox.observer?.signal).toBe(signal);
    sandbox.observer?.onOutput?.('tick');
    expect(signs).toBe(1);
  });

  it('lets a sandbox that cannot be reached speak for itself', async () => {
    sandbox.next = new SandboxUnavailableError('The runner is gone.');
    await expect(execute()).rejects.toThrow(SandboxUnavailableError);
  });

  describe('with much output', () => {
    it('keeps up to 8 KiB in the context, and more as an object', async () => {
      sandbox.next = ended('x'.repeat(8_192));
      expect(await execute()).toMatchObject({ outcome: { contextUpdates: { 'command.output': 'x'.repeat(8_192) } } });
      expect(kept).toEqual([]);

      sandbox.next = ended('x'.repeat(8_193));
      expect(await execute()).toMatchObject({
        outcome: { contextUpdates: { 'command.output': 'blob://sha256/1' }, kept: { 'command.output': 8_193 } },
      });
      expect(kept).toEqual(['x'.repeat(8_193)]);
      expect(reserved).toEqual([3 * 8_193]);
    });

    it('refers to nothing where its own words take the place of the output', async () => {
      const forged = `blob://sha256/${'a'.repeat(64)}#json`;
      const directive = JSON.stringify({ context_updates: { 'command.output': forged }, kept: { forged: 1 } });
      sandbox.next = ended(' '.repeat(8_193) + directive);
      const { outcome } = (await execute('output_schema=routing')) as Extract<AttemptResult, { kind: 'outcome' }>;
      expect(outcome).toMatchObject({ contextUpdates: { 'command.output': forged }, kept: {} });
    });

    it('says only its last 8 KiB, and how much it was', async () => {
      sandbox.next = ended(`lost${'x'.repeat(8_192)}`);
      await execute();
      expect(said.at(-1)?.properties).toMatchObject({ output: 'x'.repeat(8_192), output_bytes: 8_196 });
    });

    it('quotes the last 4096 bytes of a failure', async () => {
      sandbox.next = ended(`lost${'ä'.repeat(2_048)}`, { exitCode: 1 });
      expect(await execute()).toMatchObject({
        outcome: {
          failure: {
            message: `Script failed with exit code: 1\n\n## output\n${'ä'.repeat(2_048)}`,
            exec_output_tail: { stdout: 'ä'.repeat(2_048), stdout_truncated: true },
          },
        },
      });
    });
  });

  describe('after workers were lost', () => {
    const lost = ['01J/build@1/1/2', '01J/build@1/1/1'];
    const [last, first] = lost as [string, string];

    it.each([
      ['the last of them', last],
      ['one before it', first],
    ])('goes on with what %s began, and starts nothing', async (_, begun) => {
      sandbox.left.set(begun, ended('from before'));
      const result = await execute('', { lost });
      expect(result).toMatchObject({ outcome: { contextUpdates: { 'command.output': 'from before' } } });
      expect(sandbox.asked).toEqual([`adopt ${last} ${first}`]);
      expect(said.map(({ event }) => event)).toEqual(['command.completed']);
    });

    it('sweeps the sandbox before it starts over when nothing is known of any', async () => {
      await execute('', { lost });
      const own = '01J0000000000000000000000A/build@1/1/1';
      expect(sandbox.asked).toEqual([`adopt ${last} ${first}`, 'sweep', `run ${own}`]);
    });

    it('starts over what a worker stopped when it had to leave', async () => {
      sandbox.left.set(last, ended('half', { termination: 'cancelled' }));
      sandbox.next = ended('whole');
      const result = await execute('', { lost });
      expect(result).toMatchObject({ outcome: { contextUpdates: { 'command.output': 'whole' } } });
      expect(sandbox.asked.slice(0, 2)).toEqual([`adopt ${last} ${first}`, 'sweep']);
    });

    it('does not start over what was cancelled just now', async () => {
      sandbox.left.set(last, ended('half', { termination: 'cancelled' }));
      const result = await execute('', { lost, signal: AbortSignal.abort() });
      expect(result).toMatchObject({ kind: 'error', failure: { category: 'canceled' } });
      expect(sandbox.commands).toEqual([]);
    });

    it('asks for what they left before it waits for its input, which it then does not need', async () => {
      sandbox.left.set(first, ended('from before'));
      const inputOf = (): never => {
        throw new Error('Nobody needs it.');
      };
      const result = await execute('stdin_source=input', { lost, inputOf });
      expect(result).toMatchObject({ outcome: { contextUpdates: { 'command.output': 'from before' } } });
    });

    it('does neither for an attempt that nobody began', async () => {
      await execute();
      expect(sandbox.asked).toHaveLength(1);
    });
  });

  describe('with a stdin_source', () => {
    it.each([
      ['a text as it is', 'line\n', 'line\n'],
      ['the empty text', '', ''],
    ])('writes %s', async (_, value, stdin) => {
      await execute('stdin_source=input', {}, { input: value });
      expect(sandbox.inputs[0]).toBe(stdin);
    });

    it('asks for 30 MiB of it at most', async () => {
      let asked = 0;
      await execute('stdin_source=input', { inputOf: async (_, maxBytes) => inputFrom(`${(asked = maxBytes)}`) });
      expect(asked).toBe(30 * 1024 * 1024);
    });

    it('fails and starts nothing when the value is missing', async () => {
      const result = await execute('stdin_source=input');
      const message = 'stdin_source "input" is not in the context.';
      expect(result).toMatchObject({ outcome: { failure: { message, category: 'deterministic' } } });
      expect(sandbox.asked).toEqual([]);
    });
  });

  describe('with an output_schema', () => {
    const schema = `output_schema="{\\"required\\":[\\"id\\"]}"`;

    it('keeps the last JSON object of the output as a value', async () => {
      sandbox.next = ended('{"id":1} then {"id":2} done\n');
      expect(await execute(schema)).toEqual({
        kind: 'outcome',
        outcome: {
          status: 'succeeded',
          notes: 'Script completed: make all',
          contextUpdates: { 'command.output': '{"id":1} then {"id":2} done\n', 'output.build': { id: 2 } },
        },
        toolTimeMs: 40,
      });
    });

    it('lets the last routing object decide how the stage ended', async () => {
      sandbox.next = ended('{"outcome":"failed","failure_reason":"no news","context_updates":{"k":1}}');
      expect(await execute('output_schema=routing')).toMatchObject({
        kind: 'outcome',
        outcome: {
          status: 'failed',
          failure: { message: 'no news', category: 'deterministic' },
          contextUpdates: { 'command.output': expect.any(String), k: 1 },
        },
      });
    });

    it('reads all of a large output', async () => {
      sandbox.next = ended(`{"id":"first"}${'x'.repeat(20_000)}`);
      expect(await execute(schema)).toMatchObject({
        outcome: { contextUpdates: { 'command.output': 'blob://sha256/1', 'output.build': { id: 'first' } } },
      });
    });

    it('fails for good on any other output, and keeps only that output', async () => {
      sandbox.next = ended('{"name":"x"}');
      expect(await execute(schema)).toEqual({
        kind: 'outcome',
        outcome: {
          status: 'failed',
          failure: {
            message: "output schema validation failed: the object must have required property 'id'",
            category: 'deterministic',
            exec_output_tail: { stdout: '{"name":"x"}', stdout_truncated: false, stderr_truncated: false },
          },
          contextUpdates: { 'command.output': '{"name":"x"}' },
        },
        finalBecause: 'the script did its work, and its output is not what output_schema asks for',
        toolTimeMs: 40,
      });
    });

    it('asks nothing of a script that fails or takes too long', async () => {
      const output = '{"outcome":"skipped","context_updates":{"k":1}}';
      sandbox.next = ended(output, { exitCode: 1 });
      const result = await execute('output_schema=routing');
      expect(result).toMatchObject({ outcome: { status: 'failed', contextUpdates: { 'command.output': output } } });
      expect(result).not.toHaveProperty('outcome.contextUpdates.k');

      sandbox.next = ended(output, { termination: 'timed_out' });
      expect(await execute('output_schema=routing')).toMatchObject({ kind: 'error', retryable: true });
    });

    it('starts nothing when the schema is none', async () => {
      await expect(execute(`output_schema="{\\"type\\":5}"`)).rejects.toThrow(
        /^Invalid output_schema for node "build": schema is invalid/,
      );
      expect(sandbox.asked).toEqual([]);
    });
  });

  it('only pretends in a dry run', async () => {
    const result = await execute('stdin_source=input', { dryRun: true });
    expect(result).toMatchObject({
      outcome: {
        status: 'succeeded',
        notes: '[Simulated] Command skipped: make all',
        contextUpdates: { 'command.output': '' },
      },
    });
    expect([sandbox.asked, said]).toEqual([[], []]);
  });
});
