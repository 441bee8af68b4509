import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AProject } from '../../../../test/support/cli/a-project.js';
import { CapturedScreen } from '../../../../test/support/cli/captured-screen.js';
import { FakeServer, json } from '../../../../test/support/cli/fake-server.js';
import { runyard } from '../program.js';

const around = (nodes: string): string =>
  `digraph W {\n  start [shape=Mdiamond] exit [shape=Msquare]\n  ${nodes}\n  start -> a -> exit\n}\n`;
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"/>';

let server: FakeServer;
let project: AProject;
let screen: CapturedScreen;

beforeEach(async () => {
  server = await FakeServer.listen();
  project = await AProject.of({
    '.runyard/workflows/named/workflow.toml': '',
    '.runyard/workflows/named/workflow.dot': around('a [shape=insulator, duration=1s]'),
    '.runyard/project.toml': '',
    'good.dot': around('a [shape=insulator, duration=1s]'),
    'asks.dot': around('a [prompt="@a.md"]'),
    'warns.dot': around('a [prompt="Hi", timout=5s]'),
    'a.md': 'One.\nTwo {{ inputs.x }}.\n',
    'breaks.dot': around('a [prompt="@gone.md"]'),
    'syntax.dot': around('a [[]'),
  });
  await writeFile(path.join(project.root, 'latin.dot'), Buffer.from('digraph hö {}', 'latin1'));
});
afterEach(async () => {
  await server.close();
  await project.remove();
});

function type(line: string): Promise<number> {
  screen = new CapturedScreen();
  const env = { RUNYARD_HOME: project.home.directory, RUNYARD_SERVER: server.url, RUNYARD_TOKEN: 'service_dev_x' };
  return runyard(line.split(' '), { env, cwd: project.root, stdin: Readable.from([]), screen });
}

const body = <T>(): T => JSON.parse(screen.written.stdout) as T;

describe('validate', () => {
  it.each([
    ['good.dot warns.dot named', 0],
    ['good.dot breaks.dot', 1],
    ['breaks.dot syntax.dot', 1],
    ['--strict good.dot', 0],
    ['--strict warns.dot', 1],
    ['asks.dot', 1],
    ['--strict asks.dot -I x=1', 0],
    ['asks.dot good.dot -I x=1', 0],
    ['asks.dot good.dot -I y=1', 2],
    ['good.dot gone.dot', 2],
    ['latin.dot', 2],
    ['good.dot -I x', 2],
    ['good.dot -I x=[1]', 2],
    ['good.dot --goal a --goal-file a.md', 2],
  ])('%s ends with %i', async (args, exitCode) => {
    expect(await type(`validate ${args}`)).toBe(exitCode);
    expect(server.requests).toEqual([]);
  });

  it('shows each finding in its own file, and a line for each workflow', async () => {
    await type('validate good.dot asks.dot');
    expect(screen.written.stdout).toMatch(
      /^a\.md:2:\d+ error template_undefined_variable .+\n {2}fix: .+\n {2}Two \{\{ inputs\.x }}\.\n +\^+\n$/,
    );
    expect(screen.written.stderr).toBe(
      '✓ good.dot: 0 errors, 0 warnings\n✗ asks.dot: 1 error, 0 warnings\n  missing inputs: x (-I x=…)\n',
    );
  });

  it('gives programs one document with everything that is known about each finding', async () => {
    await type('validate asks.dot good.dot --json');
    expect(body()).toEqual({
      valid: false,
      workflows: [
        {
          workflow: 'asks.dot',
          valid: false,
          missingInputs: ['x'],
          diagnostics: [
            {
              rule: 'template_undefined_variable',
              severity: 'error',
              message: expect.stringContaining('inputs.x'),
              fix: expect.any(String),
              nodeId: 'a',
              path: 'a.md',
              range: { start: { line: 2, column: 8, offset: 12 }, end: { line: 2, column: 16, offset: 20 } },
            },
          ],
        },
        { workflow: 'good.dot', valid: true, missingInputs: [], diagnostics: [] },
      ],
    });
  });

  it.each([
    ['asks.dot -I xx=1', '-I xx: asks.dot reads no input of that name. Did you mean "x"?', 'Its inputs: x.'],
    ['asks.dot good.dot -I other=1', '-I other: asks.dot, good.dot reads no input of that name.', 'Its inputs: x.'],
    ['good.dot -I x=1', '-I x: good.dot reads no input of that name.', 'It reads no inputs.'],
  ])('refuses an input that nobody reads: %s', async (args, message, hint) => {
    expect(await type(`validate ${args}`)).toBe(2);
    expect(screen.written.stderr).toContain(message);
    expect(screen.written.stderr).toContain(hint);
  });

  it('takes an input that a script reads from its variable', async () => {
    await project.write({ 'variable.dot': around(`a [script="echo $RUNYARD_INPUT_WHO_1"]`) });
    expect(await type('validate variable.dot -I who-1=Ada')).toBe(0);
    expect(await type('validate variable.dot -I who=Ada')).toBe(2);
    expect(screen.written.stderr).toContain('declared under [run.inputs] of workflow.toml');
  });

  it('names a misspelt key of a configuration, not the workflow that is missed because of it', async () => {
    await project.write({ '.runyard/workflows/named/workflow.toml': '[workflow]\ngrph = "gone.dot"\n' });
    expect(await type('validate named')).toBe(2);
    expect(screen.written.stderr).toMatch(
      /workflow\.toml:2: workflow\.grph is an unknown key\. Did you mean "graph"\?/,
    );
    expect(screen.written.stderr).not.toContain('does not exist');
  });

  it('watches until Ctrl-C, also files that are not there yet', async () => {
    const ended = type('validate breaks.dot --watch');
    const { written } = screen;
    const says = async (text: string): Promise<void> => {
      while (!written.stderr.includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await says('✗ breaks.dot: 1 error,');
    await project.write({ 'gone.md': 'Here.' });
    await says('✓ breaks.dot: 0 errors,');
    process.emit('SIGINT');
    expect(await ended).toBe(130);
    expect(written.stderr.split('\n')).toHaveLength(3);
  });
});

describe('graph', () => {
  it('lets the server draw, and writes what it drew', async () => {
    server.on('POST /api/v1/graph/render', (_, response) =>
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(DRAWING),
    );
    expect(await type('graph asks.dot -d lr -o drawn.svg')).toBe(0);
    expect(screen.written.stdout).toBe('');
    expect(await readFile(path.join(project.root, 'drawn.svg'), 'utf8')).toBe(DRAWING);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      format: 'svg',
      direction: 'lr',
      manifest: { target: { path: 'asks.dot' }, workflows: { 'asks.dot': { files: { 'a.md': {} } } } },
    });
    expect(await type('graph good.dot')).toBe(0);
    expect(screen.written.stdout).toBe(`${DRAWING}\n`);
  });

  it('writes sources without a server', async () => {
    expect(await type('graph good.dot --format dot -d lr')).toBe(0);
    expect(screen.written.stdout).toMatch(/^digraph W \{\n {2}rankdir = LR\n/);
    expect(await type('graph good.dot --format mermaid --json')).toBe(0);
    expect(body()).toEqual({
      workflow: 'good.dot',
      format: 'mermaid',
      drawing: expect.stringMatching(/^flowchart TB\n/),
    });
    expect(server.requests).toEqual([]);
  });

  it('writes what the extension of the file says, and nothing that it cannot draw', async () => {
    for (const [file, beginning] of [
      ['drawn.mmd', 'flowchart'],
      ['drawn.gv', 'digraph'],
      ['drawn.txt --format mermaid', 'flowchart'],
    ] as const) {
      expect(await type(`graph good.dot -o ${file}`)).toBe(0);
      expect(await readFile(path.join(project.root, file.split(' ')[0]!), 'utf8')).toMatch(beginning);
    }
    for (const file of ['drawn.png', 'drawn']) {
      expect(await type(`graph good.dot -o ${file}`)).toBe(2);
      expect(screen.written.stderr).toMatch(/No drawing is written as .*\n.*\.svg, \.dot, \.gv, \.mmd/);
    }
    expect(await type('graph good.dot --format dot -o no/folder.dot')).toBe(2);
    expect(screen.written.stderr).toMatch(/The folder of .*no\/folder\.dot does not exist\.$/m);
    expect(server.requests).toEqual([]);
  });

  it('draws nothing of a workflow that cannot run', async () => {
    expect(await type('graph breaks.dot')).toBe(1);
    expect(screen.written.stderr).toMatch(/^breaks\.dot:3:\d+ error unresolved_file_ref/);
    expect(server.requests).toEqual([]);
  });
});

describe('preflight', () => {
  const details = [
    { text: 'openai is needed by a.', warn: true },
    { text: 'Nothing else is.', warn: false },
  ];
  const checks = [
    { name: 'Workflow', status: 'pass', summary: 'Fine.', details: [], remediation: null },
    { name: 'LLM', status: 'error', summary: 'Not configured.', details, remediation: 'Configure it.' },
  ];
  const answer = (ok: boolean) => ({
    ok,
    workflow: { name: 'W', nodes: 3, edges: 2, goal: '', diagnostics: [] },
    checks: { title: 'Preflight', sections: [{ title: '', checks }] },
  });

  it('says what the server checked, and what to do', async () => {
    server.on('POST /api/v1/preflight', json(200, answer(false)));
    expect(await type('preflight asks.dot -I x=1 --environment ci --goal Ship')).toBe(1);
    expect(screen.written.stdout.split('\n')).toEqual([
      '  CHECK     STATUS  SUMMARY',
      '✓ Workflow  pass    Fine.',
      '✗ LLM       error   Not configured.',
      '    openai is needed by a.',
      '    Nothing else is.',
      '    → Configure it.',
      '',
    ]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      goal: { type: 'value', text: 'Ship' },
      args: { environment: 'ci', input: ['x=1'] },
    });
  });

  it('asks about a workflow with errors too, and prints one document with --json', async () => {
    server.on('POST /api/v1/preflight', json(200, answer(true)));
    expect(await type('preflight breaks.dot --json')).toBe(0);
    expect(body()).toEqual(answer(true));
  });
});
