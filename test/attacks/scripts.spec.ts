import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiCaller, Run } from '../support/api-caller.js';
import { command, workflow } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';

let server: TestServer;
let caller: ApiCaller;
beforeAll(async () => {
  server = await testServer();
  caller = server.caller;
});
afterAll(() => server.close());

/** Would print `uid=…` if a shell ever read it as code, whatever stands around it. */
const HOSTILE = `$(id)\`id\`'; id; '"; id; "\nEND\nid\n\\`;
const given = (value: string): Record<string, unknown> => ({
  configs: [{ type: 'project', path: '.runyard/project.toml', source: `[run.inputs]\nx = ${JSON.stringify(value)}\n` }],
});

async function outputOf({ id }: Run): Promise<string> {
  const { properties } = await caller.logs(id, 'command.completed');
  return String(properties!.output);
}

async function finished(script: string, value: string, attributes = ''): Promise<string> {
  const run = await caller.finish(workflow(`${command('a', script, attributes)} start -> a -> exit`), given(value));
  expect(run.lifecycle.status.kind).toBe('succeeded');
  return outputOf(run);
}

async function refused(script: string, attributes = ''): Promise<string> {
  const source = workflow(`${command('a', script, attributes)} start -> a -> exit`);
  const body = caller.manifest(source, given('x'));
  const created = await caller.send<{ errors: { detail: string }[] }>('POST', '/api/v1/runs', { body });
  expect(created.status).toBe(400);
  const checked = await caller.send('POST', '/api/v1/validate', { body });
  expect(checked.body).toMatchObject({ ok: false });
  expect(checked.text).toContain('script_token_place');
  return created.body.errors.map(({ detail }) => detail).join('\n');
}

describe("V7: an input's value that a shell would read as code", () => {
  it.each([
    ['double quotes', 'printf %s "{{ inputs.x }}"', HOSTILE],
    ['single quotes', "printf %s '{{ inputs.x }}'", HOSTILE],
    ['a here-document', 'cat <<END\n{{ inputs.x }}\nEND', `${HOSTILE}\n`],
    ['a bare word', 'printf %s {{ inputs.x }}', HOSTILE],
  ])('comes out of %s as the text it is', async (_, script, printed) => {
    expect(await finished(script, HOSTILE)).toBe(printed);
  });

  it('stays out of a comment', async () => {
    expect(await finished('# {{ inputs.x }}\necho done', 'a\nid')).toBe('done\n');
  });

  it('stays out of the code of another shell: the workflow is refused, and told the variable', async () => {
    const detail = await refused('sh -c "echo {{ inputs.x }}"');
    expect(detail).toContain('spec.dot:4:29 error script_token_place ');
    expect(detail).toContain('because it stands in a script that calls sh, which may read it as code.');
    expect(detail).toContain('$RUNYARD_INPUT_X');
  });

  it.each([
    'echo `echo {{ inputs.x }}`',
    'echo $(({{ inputs.x }} + 1))',
    'eval echo {{ inputs.x }}',
    'echo ${{ inputs.x }}',
    "cat <<'END'\n{{ inputs.x }}\nEND",
    'sh <<END\n{{ inputs.x }}\nEND',
  ])('stays out of %j', async (script) => {
    expect(await refused(script)).toContain('$RUNYARD_INPUT_X');
  });

  it('stays out of the texts of Python', async () => {
    expect(await refused("print('{{ inputs.x }}')", ', language=python')).toContain('os.environ["RUNYARD_INPUT_X"]');
  });
});

describe('a script that takes a value from its environment', () => {
  const shell = 'sh -c \'printf "%s|%s" "$RUNYARD_INPUT_X" "$RUNYARD_GOAL"\'';

  it('finds it as it was given, in another shell too', async () => {
    expect(await finished(shell, HOSTILE)).toBe(`${HOSTILE}|`);
    const python = 'import os; print(os.environ["RUNYARD_INPUT_X"], end="")';
    expect(await finished(python, HOSTILE, ', language=python')).toBe(HOSTILE);
  });

  it('finds that of the run, when a run is made again with another', async () => {
    const first = await caller.finish(workflow(`${command('a', shell)} start -> a -> exit`), {
      ...given('one'),
      goal: { type: 'value', text: 'Ship' },
    });
    const body = { edits: { inputs: { x: 'two' } } };
    const again = await caller.send<Run>('POST', `/api/v1/runs/${first.id}/retry`, { body });
    expect(again.status).toBe(201);
    expect(await outputOf(await caller.ends(again.body.id))).toBe('two|Ship');
  });

  it('finds the goal of its own workflow', async () => {
    const child = workflow('b [script="echo $RUNYARD_GOAL $RUNYARD_INPUT_X"] start -> b -> exit').replace(
      '{',
      '{ goal=Inner;',
    );
    const manager = `m [shape=house, stack.child_dot_source=${JSON.stringify(child)}]`;
    const run = await caller.finish(workflow(`${manager} start -> m -> exit`), {
      ...given('one'),
      goal: { type: 'value', text: 'Outer' },
    });
    expect(await outputOf(run)).toBe('Inner one\n');
  });

  it('is refused where no process takes the variable, and only there', async () => {
    const long = 'x'.repeat(200_000);
    const source = (script: string): string => workflow(`${command('a', script)} start -> a -> exit`);
    const detail = await caller.send('POST', '/api/v1/runs', {
      body: caller.manifest(source('echo "$RUNYARD_INPUT_X"'), given(long)),
    });
    expect([detail.status, detail.text]).toEqual([400, expect.stringContaining('takes more than 100 KiB')]);
    expect((await finished('printf %s {{ inputs.x }} | wc -c', long)).trim()).toBe('200000');
  });

  it('is refused with a value that no process can have', async () => {
    const { status, text } = await caller.send('POST', '/api/v1/runs', {
      body: caller.manifest(workflow('start -> exit'), given('a\0b')),
    });
    expect([status, text]).toEqual([400, expect.stringContaining('U+0000')]);
  });
});
