import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AProject } from '../../../../test/support/cli/a-project.js';
import { CapturedScreen } from '../../../../test/support/cli/captured-screen.js';
import { runyard } from '../program.js';

const SETTINGS = '.runyard/project.toml';

let project: AProject;
let screen: CapturedScreen;

beforeEach(async () => {
  project = await AProject.of({ 'README.md': 'Mine.' });
});
afterEach(() => project.remove());

function type(line: string): Promise<number> {
  screen = new CapturedScreen();
  const env = { RUNYARD_HOME: project.home.directory };
  return runyard(line.split(' '), { env, cwd: project.root, stdin: Readable.from([]), screen });
}

const read = (file: string): Promise<string> => readFile(path.join(project.root, file), 'utf8');

describe('init', () => {
  it.each([
    ['init', 'hello'],
    ['init graph', 'graph'],
    ['init to-do_2', 'to-do_2'],
  ])('%s makes a project with a workflow that is valid by name', async (line, name) => {
    expect(await type(line)).toBe(0);
    const folder = `.runyard/workflows/${name}`;
    expect(screen.written.stdout).toBe(`${SETTINGS}\n${folder}/workflow.toml\n${folder}/workflow.dot\n`);
    expect(screen.written.stderr).toContain(`runyard run ${name}`);
    expect(await type(`validate --strict ${name}`)).toBe(0);
    expect(screen.written).toEqual({ stdout: '', stderr: `✓ ${name}: 0 errors, 0 warnings\n` });
  });

  it('adds a workflow to a project that is there, and keeps its settings', async () => {
    await project.write({ [SETTINGS]: '# mine\n' });
    expect(await type('init deploy --json')).toBe(0);
    expect(JSON.parse(screen.written.stdout)).toEqual({
      workflow: 'deploy',
      files: ['.runyard/workflows/deploy/workflow.toml', '.runyard/workflows/deploy/workflow.dot'],
    });
    expect(await read(SETTINGS)).toBe('# mine\n');
  });

  it('writes nothing where a file of the workflow is there', async () => {
    const own = '.runyard/workflows/hello/workflow.dot';
    await project.write({ [own]: 'digraph Mine {}' });
    expect(await type('init')).toBe(2);
    expect(screen.written.stderr).toContain(`${own} is there already.`);
    expect(await read(own)).toBe('digraph Mine {}');
    await expect(read(SETTINGS)).rejects.toThrow(/ENOENT/);
  });

  it.each(['init a/b', 'init ..', 'init 2nd', 'init a.dot'])('%s is wrong use', async (line) => {
    expect(await type(line)).toBe(2);
  });
});

it('an unknown name where no project is says how to make one', async () => {
  expect(await type('validate hello')).toBe(2);
  expect(screen.written.stderr).toContain('Make one with: runyard init hello');
  await type('init deploy');
  expect(await type('validate hello')).toBe(2);
  expect(screen.written.stderr).not.toContain('runyard init');
});

it('help shows commands in groups, examples and what exit codes mean', async () => {
  expect(await type('--help')).toBe(0);
  const headings = screen.written.stdout.split('\n').filter((line) => /^[A-Z][a-z ]+:$/.test(line));
  expect(headings).toEqual([
    'Options:',
    'Begin:',
    'Write workflows:',
    'Run them:',
    'Answer:',
    'Look:',
    'Run again:',
    'Keep order:',
    'Server:',
    'Examples:',
    'Exit codes:',
  ]);
  expect(screen.written.stdout).toContain('  130  Ctrl-C; the run that was followed goes on');
});
