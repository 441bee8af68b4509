import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildManifest, type RunManifest, type RunRequest } from './build-manifest.js';

const WORKFLOW = 'flows/review.dot';
const SOURCE = `digraph Review {
  graph [goal="@goal.md"]
  plan [prompt="@../prompts/plan.md"]
  test [import="test.dot"]
}`;

let project: string;

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(project, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

function build(request: Partial<RunRequest> = {}, cwd = project): Promise<RunManifest> {
  return buildManifest({ workflow: WORKFLOW, args: {}, ...request }, cwd, async () => undefined);
}

beforeEach(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'runyard-'));
  await write({
    [WORKFLOW]: SOURCE,
    'flows/goal.md': 'Review it.',
    'flows/test.dot': 'digraph Test { t [prompt="@test.md"] }',
    'flows/test.md': 'Test it.',
    'flows/workflow.toml': '[workflow]\ngraph = "review.dot"\n',
    'prompts/plan.md': 'Plan it.',
    '.runyard/project.toml': '[project]\nname = "p"\n',
  });
});
afterEach(() => rm(project, { recursive: true }));

describe('a manifest', () => {
  it('holds every file that the workflow needs, by its canonical path', async () => {
    expect(await build()).toEqual({
      version: 1,
      cwd: project,
      target: { identifier: WORKFLOW, path: WORKFLOW },
      configs: [{ type: 'project', path: '.runyard/project.toml', source: '[project]\nname = "p"\n' }],
      workflows: {
        [WORKFLOW]: {
          source: SOURCE,
          config: { path: 'flows/workflow.toml', source: '[workflow]\ngraph = "review.dot"\n' },
          files: {
            'flows/goal.md': {
              content: 'Review it.',
              ref: { type: 'file_inline', original: '@goal.md', from: WORKFLOW },
            },
            'flows/test.dot': {
              content: 'digraph Test { t [prompt="@test.md"] }',
              ref: { type: 'import', original: 'test.dot', from: WORKFLOW },
            },
            'flows/test.md': {
              content: 'Test it.',
              ref: { type: 'file_inline', original: '@test.md', from: 'flows/test.dot' },
            },
            'prompts/plan.md': {
              content: 'Plan it.',
              ref: { type: 'file_inline', original: '@../prompts/plan.md', from: WORKFLOW },
            },
          },
        },
      },
    });
  });

  it('is the same text for the same files, and names no other place of this machine', async () => {
    const text = JSON.stringify(await build());
    expect(JSON.stringify(await build({ workflow: `./${WORKFLOW}` }))).toBe(
      text.replace(`"identifier":"${WORKFLOW}"`, `"identifier":"./${WORKFLOW}"`),
    );
    expect(text.split(project)).toHaveLength(2);
  });

  it('takes the directory of a workflow that lies elsewhere for its root', async () => {
    const manifest = await build({ workflow: '../prompts/alone.dot' }, path.join(project, 'flows')).catch(String);
    expect(manifest).toContain('There is no workflow ../prompts/alone.dot');
    await write({ 'prompts/alone.dot': 'digraph Alone { a [prompt="@plan.md"] }' });
    const { target, workflows } = await build({ workflow: '../prompts/alone.dot' }, path.join(project, 'flows'));
    expect(target).toEqual({ identifier: '../prompts/alone.dot', path: 'alone.dot' });
    expect(Object.keys(workflows['alone.dot']?.files ?? {})).toEqual(['plan.md']);
  });

  it('leaves out the configuration of another workflow', async () => {
    await write({ 'flows/workflow.toml': '[workflow]\ngraph = "other.dot"\n' });
    expect((await build()).workflows[WORKFLOW]).not.toHaveProperty('config');
  });

  it('carries what was typed', async () => {
    await write({ 'aim.md': 'Aim.' });
    expect(
      await build({ goalFile: 'aim.md', title: 'T', runId: 'R', parent: 'P', args: { dry_run: true } }),
    ).toMatchObject({
      goal: { type: 'file', text: 'Aim.', path: 'aim.md' },
      title: 'T',
      run_id: 'R',
      parent_id: 'P',
      args: { dry_run: true },
    });
  });
});

it.each([
  ['a file that is missing', 'a [prompt="@gone.md"]', 'flows/review.dot:1 The prompt of node "a" refers to "gone.md"'],
  ['a file outside of the project', 'a [import="../../x.dot"]', 'which lies outside of'],
])('refuses %s', async (_, node, message) => {
  await write({ [WORKFLOW]: `digraph R { ${node} }` });
  await expect(build()).rejects.toThrow(message);
});
