import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AProject } from '../../../../test/support/cli/a-project.js';
import { type AuthoredWorkflow, type ReadFor, readWorkflow, type TypedTexts } from './authored-workflow.js';
import { findingsOf } from './findings.js';

let project: AProject;
beforeEach(async () => {
  project = await AProject.of({ '.runyard/project.toml': '' });
});
afterEach(() => project.remove());

const around = (nodes: string): string =>
  `digraph A {\n  start [shape=Mdiamond] exit [shape=Msquare]\n  ${nodes}\n  start -> a -> exit\n}`;

async function read(files: Record<string, string>, typed: TypedTexts = {}): Promise<AuthoredWorkflow> {
  await project.write(files);
  return readWorkflow('flows/a.dot', typed, { cwd: project.root, home: project.home });
}

/** `file:line rule` of each finding, as it is seen from a directory. */
async function found(files: Record<string, string>, typed?: TypedTexts, cwd = '.'): Promise<string[]> {
  const findings = findingsOf(await read(files, typed), path.join(project.root, cwd));
  return findings.map(({ text }) => text.replace(/^(\S+?:\d+):\d+ \w+ (\w+) [^]*/, '$1 $2'));
}

describe('a workflow with its files', () => {
  it.each([
    ['a prompt that is missing', 'a [prompt="@gone.md"]', ['flows/a.dot:3 unresolved_file_ref']],
    ['a prompt outside of the project', 'a [prompt="@../../x.md"]', ['flows/a.dot:3 unresolved_file_ref']],
    ['a prompt that is a folder', 'a [prompt="@../flows"]', ['flows/a.dot:3 unresolved_file_ref']],
    ['a prompt whose name no system has', `a [prompt="@${'x'.repeat(300)}"]`, ['flows/a.dot:3 unresolved_file_ref']],
    ['an import that is missing', 'a [import="gone.dot"]', ['flows/a.dot:3 import_error']],
    ['an include that is missing', `a [prompt="{% include 'gone.md' %}"]`, ['flows/a.dot:3 template_syntax']],
    ['a child that is missing', 'a [shape=house, stack.child_workflow="gone.dot"]', ['flows/a.dot:3 child_workflow']],
  ])('says where it refers to %s', async (_, nodes, expected) => {
    expect(await found({ 'flows/a.dot': around(nodes) })).toEqual(expected);
  });

  it('shows a finding in the file and on the line that are wrong', async () => {
    const files = {
      'flows/a.dot': around('a [import="part.dot"]'),
      'flows/part.dot': around('a [prompt="@a.md"]'),
      'flows/a.md': 'One.\nTwo {{ inputs.x }}.',
    };
    expect(await found(files)).toEqual(['flows/a.md:2 template_undefined_variable']);
    expect(await found(files, {}, 'flows')).toEqual(['a.md:2 template_undefined_variable']);
    const [finding] = findingsOf(await read(files), project.root);
    expect(finding?.text).toContain('\n  Two {{ inputs.x }}.\n      ');
    expect(finding?.diagnostic).toMatchObject({ path: 'flows/a.md', range: { start: { line: 2 } } });
  });

  it('ends where its references close a circle', async () => {
    const files = {
      'flows/a.dot': around('a [import="b.dot"]'),
      'flows/b.dot': around('a [import="a.dot"]'),
    };
    expect(await found(files)).toContain('flows/b.dot:3 import_error');
  });

  it('takes no file that a link leads out to', async () => {
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'runyard-'));
    await writeFile(path.join(elsewhere, 'secret'), 'S');
    await symlink(path.join(elsewhere, 'secret'), path.join(project.root, 'notes.md'));
    await expect(read({ 'flows/a.dot': around('a [prompt="@../notes.md"]') })).rejects.toThrow('is a link to a file');
    await rm(elsewhere, { recursive: true });
  });
});

it('takes no file that is no text', async () => {
  await writeFile(path.join(project.root, 'notes.md'), Buffer.from('one\nt\u{1f600}wo\nh\xf6he\n', 'latin1'));
  await expect(read({ 'flows/a.dot': around('a [prompt="@../notes.md"]') })).rejects.toThrow(
    'notes.md:3 is no UTF-8 text',
  );
});

describe('the texts of a run', () => {
  const asking = around('a [prompt="{{ inputs.x }} {{ inputs.y }} {{ goal }}"]');
  const promptOf = ({ graph }: AuthoredWorkflow): unknown =>
    graph?.nodes.find(({ id }) => id === 'a')?.rawAttributes['prompt'];

  it('are those of the highest configuration, and what was typed', async () => {
    const files = {
      'flows/a.dot': asking,
      'flows/workflow.toml': '[workflow]\ngraph = "a.dot"\n[run]\ninputs = { x = 1 }\n',
      '.runyard/project.toml': '[run]\ngoal = "G"\ninputs = { x = 0, y = 0 }\n',
    };
    expect(promptOf(await read(files, { inputs: { y: 2 } }))).toBe('1 2 G');
    expect(promptOf(await read(files, { inputs: { y: 2 }, goal: 'H' }))).toBe('1 2 H');
  });

  it('may have a goal from a file, seen from the workflow', async () => {
    const files = {
      'flows/a.dot': asking,
      'flows/workflow.toml':
        '[workflow]\ngraph = "a.dot"\n[run]\ngoal = { file = "aim.md" }\ninputs = { x = 1, y = 2 }\n',
    };
    expect(await found(files)).toEqual(['flows/a.dot:1 unresolved_file_ref']);
    expect(promptOf(await read({ ...files, 'flows/aim.md': 'Aim.' }))).toBe('1 2 Aim.');
  });

  it('that are missing keep a run from being made, as they do on a server, and no drawing', async () => {
    await project.write({ 'flows/a.dot': asking });
    const severities = async (readFor: ReadFor): Promise<unknown> => {
      const place = { cwd: project.root, home: project.home, readFor };
      const { graph, diagnostics } = await readWorkflow('flows/a.dot', { inputs: { y: 2 } }, place);
      return [graph !== undefined, diagnostics.map(({ rule, severity }) => `${severity} ${rule}`)];
    };
    expect(await severities('running')).toEqual([false, ['error template_undefined_variable']]);
    expect(await severities('drawing')).toEqual([true, ['warning template_undefined_variable']]);
  });

  it.each([
    ['environments.a.image.dockerfile = { path = "gone" }', '.runyard/project.toml names the Dockerfile gone, which'],
    ['environments.a.image.dockerfile = { path = "/etc/passwd" }', 'only relative paths'],
    ['[runs]\na = 1\n[workflow]\nb = 2', /project\.toml:4: workflow\.b is .+\n.+project\.toml:1: runs is/],
    ['[run', '.runyard/project.toml:1:2 is no TOML'],
  ])('cannot come from %j', async (source, message) => {
    await expect(read({ 'flows/a.dot': asking, '.runyard/project.toml': source })).rejects.toThrow(message);
  });
});
