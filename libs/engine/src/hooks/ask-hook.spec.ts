import { describe, expect, it } from '@jest/globals';
import { aHook } from '../../../../test/support/a-hook.js';
import { ended, ScriptedSandbox } from '../../../../test/support/scripted-sandbox.js';
import type { HttpAnswer, HttpCall } from '../ports/http-caller.js';
import { askHook } from './ask-hook.js';
import type { HookCall } from './hook-call.js';
import type { Hook } from '../definition/hook-list.js';

const payload = { event: 'stage_start', run_id: 'r', workflow_name: 'Ship', node_id: 'build' };

function aCall(means: Partial<HookCall>): HookCall {
  const nowhere = () => Promise.reject(new Error('Nothing there.'));
  const call = { id: 'r/0/main/stage_start/build/1/guard', epoch: 3, payload, signal: new AbortController().signal };
  return { ...call, sandbox: nowhere, http: { post: nowhere }, ...means };
}

describe('a hook that is a command', () => {
  const asked = (sandbox: ScriptedSandbox, more: Partial<Hook> = {}) =>
    askHook(aHook({ command: 'check', ...more }), aCall({ sandbox: async () => sandbox }));

  async function endingWith(...end: Parameters<typeof ended>) {
    const sandbox = new ScriptedSandbox();
    sandbox.next = ended(...end);
    return asked(sandbox);
  }

  it('is told of the moment by file, standard input and variables, under a name of its own', async () => {
    const sandbox = new ScriptedSandbox();
    await asked(sandbox, { timeout_ms: 500 });
    const { id } = aCall({});
    expect(sandbox.asked).toEqual([`adopt ${id}/2 ${id}/1`, `run ${id}/3`]);
    expect(sandbox.commands).toMatchObject([
      {
        script: expect.stringContaining('RUNYARD_HOOK_CONTEXT'),
        stdin: JSON.stringify(payload),
        timeoutMs: 500,
        env: {
          RUNYARD_HOOK_SCRIPT: 'check',
          RUNYARD_EVENT: 'stage_start',
          RUNYARD_RUN_ID: 'r',
          RUNYARD_WORKFLOW: 'Ship',
          RUNYARD_NODE_ID: 'build',
        },
      },
    ]);
  });

  it('is looked for nowhere in the first epoch', async () => {
    const sandbox = new ScriptedSandbox();
    await askHook(aHook({ command: 'check' }), aCall({ epoch: 1, sandbox: async () => sandbox }));
    expect(sandbox.asked).toEqual([`run ${aCall({}).id}/1`]);
  });

  it('has a minute where nothing else is said', async () => {
    const sandbox = new ScriptedSandbox();
    await asked(sandbox);
    expect(sandbox.commands[0]?.timeoutMs).toBe(60_000);
  });

  it.each([
    ['exit 0', ['fine', { exitCode: 0 }], { decision: 'proceed' }],
    ['exit 0 with a decision', ['{"decision":"skip"}', { exitCode: 0 }], { decision: 'skip' }],
    ['exit 2', ['', { exitCode: 2 }], { decision: 'block', reason: 'hook exited with code 2' }],
    [
      'exit 2 with a decision',
      ['{"decision":"block","reason":"frozen"}', { exitCode: 2 }],
      { decision: 'block', reason: 'frozen' },
    ],
  ] as const)('%s is %j', async (_, [text, rest], decision) => {
    const report = await endingWith(text, rest);
    expect(report).toMatchObject({ decision });
    expect(report.fault).toBeUndefined();
  });

  it.each([
    ['another exit code', { exitCode: 7 }, 'hook exited with code 7'],
    ['the end of its time', { termination: 'timed_out' }, 'hook was stopped after 40 ms'],
    ['a signal', {}, 'hook was stopped'],
  ] as const)('blocks at %s, whatever it wrote', async (_, end, reason) => {
    const report = await endingWith('{"decision":"proceed"}', end);
    expect(report).toMatchObject({ decision: { decision: 'block', reason }, fault: reason });
    expect(report.output?.stdout).toContain('proceed');
  });

  it('blocks when there is no sandbox to run it in', async () => {
    const report = await askHook(aHook(), aCall({}));
    expect(report).toEqual({ decision: { decision: 'block', reason: 'Nothing there.' }, fault: 'Nothing there.' });
  });

  it.each([2, 1])('is not run again when the worker of epoch %i, which was lost, had it run', async (epoch) => {
    const sandbox = new ScriptedSandbox();
    sandbox.left.set(`${aCall({}).id}/${epoch}`, ended('', { exitCode: 2 }));
    expect(await asked(sandbox)).toMatchObject({ decision: { decision: 'block' } });
    expect(sandbox.commands).toEqual([]);
  });

  it('is run again when a worker stopped it to leave', async () => {
    const sandbox = new ScriptedSandbox();
    sandbox.left.set(`${aCall({}).id}/2`, ended('', { termination: 'cancelled' }));
    expect(await asked(sandbox)).toMatchObject({ decision: { decision: 'proceed' } });
    expect(sandbox.commands).toHaveLength(1);
  });
});

describe('a hook that is a server', () => {
  const hook = aHook({ url: 'https://hooks.example/x', headers: { 'x-team': 'a' } });

  async function answering(answer: HttpAnswer | Error, more: Partial<Hook> = {}) {
    const calls: HttpCall[] = [];
    const post = async (call: HttpCall): Promise<HttpAnswer> => {
      calls.push(call);
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { report: await askHook({ ...hook, ...more }, aCall({ http: { post } })), calls };
  }

  it('gets the payload, with the name of the call as its idempotency key', async () => {
    const { calls } = await answering({ status: 204, body: '' });
    expect(calls).toMatchObject([
      {
        url: 'https://hooks.example/x',
        headers: { 'x-team': 'a', 'content-type': 'application/json', 'idempotency-key': aCall({}).id },
        body: JSON.stringify(payload),
        verifiesTls: true,
        timeoutMs: 60_000,
      },
    ]);
    expect((await answering({ status: 200, body: '' }, { tls: 'no_verify' })).calls[0]?.verifiesTls).toBe(false);
  });

  it.each([
    [200, '{"decision":"block","reason":"frozen"}', { decision: { decision: 'block', reason: 'frozen' } }],
    [202, '{"decision":"skip"}', { decision: { decision: 'skip' } }],
    [200, 'thanks', { decision: { decision: 'proceed' } }],
    [204, '', { decision: { decision: 'proceed' } }],
    [500, '{"decision":"block"}', { decision: { decision: 'proceed' }, fault: 'the server of the hook answered 5xx' }],
  ])('that answers %i %j is %j', async (status, body, report) => {
    expect((await answering({ status, body })).report).toEqual(report);
  });

  it('does not hold up the run when it is away', async () => {
    const { report } = await answering(new Error('connect ECONNREFUSED'));
    expect(report).toEqual({ decision: { decision: 'proceed' }, fault: expect.stringMatching(/^no answer from the/) });
  });
});
