import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AProject } from '../../../../test/support/cli/a-project.js';
import { readWorkflow, type TypedTexts } from './authored-workflow.js';
import { buildManifest, type RunManifest, type RunRequest } from './build-manifest.js';

const MAIN = 'flows/review.dot';
const SOURCE = `digraph Review {
  graph [goal="@goal.md"]
  start [shape=Mdiamond] exit [shape=Msquare]
  plan [prompt="@../prompts/plan.md"]
  test [import="parts/test.dot"]
  loop [shape=house, stack.child_workflow="child/workflow.dot"]
  start -> plan -> test -> loop -> exit
}`;
const PART = `digraph Test {
  start [shape=Mdiamond] exit [shape=Msquare]
  t [prompt="{% include '../../prompts/tone.md' %} Test."]
  start -> t -> exit
}`;
const CHILD = `digraph Child {
  start [shape=Mdiamond] exit [shape=Msquare]
  c [prompt="@c.md"]
  again [shape=house, stack.child_workflow="../review.dot"]
  start -> c -> again -> exit
}`;
const FILES = {
  [MAIN]: SOURCE,
  'flows/goal.md': 'Review it.',
  'flows/workflow.toml': '[workflow]\ngraph = "review.dot"\n',
  'flows/parts/test.dot': PART,
  'flows/child/workflow.dot': CHILD,
  'flows/child/workflow.toml': '[workflow]\nname = "Child"\n',
  'flows/child/c.md': '{% include "../../prompts/tone.md" %}',
  'prompts/plan.md': '{% include "tone.md" %} Plan it.',
  'prompts/tone.md': 'Be kind.',
  '.runyard/project.toml': '[project]\nname = "p"\n',
};

let project: AProject;
beforeEach(async () => {
  project = await AProject.of(FILES);
});
afterEach(() => project.remove());

interface Typed extends TypedTexts {
  workflow?: string;
  cwd?: string;
  request?: RunRequest;
}

async function build({
  workflow = MAIN,
  cwd = '.',
  request = { args: {} },
  ...texts
}: Typed = {}): Promise<RunManifest> {
  const directory = path.join(project.root, cwd);
  const read = await readWorkflow(workflow, texts, { cwd: directory, home: project.home });
  return buildManifest(read, request, directory, async () => undefined);
}

const file = (name: keyof typeof FILES, type: string, original: string, from: string) => ({
  content: FILES[name],
  ref: { type, original, from },
});

describe('a manifest', () => {
  it('holds every file that the workflow and its children need, by its canonical path', async () => {
    expect(await build()).toEqual({
      version: 1,
      cwd: project.root,
      target: { identifier: MAIN, path: MAIN },
      configs: [{ type: 'project', path: '.runyard/project.toml', source: FILES['.runyard/project.toml'] }],
      workflows: {
        'flows/child/workflow.dot': {
          source: CHILD,
          config: { path: 'flows/child/workflow.toml', source: FILES['flows/child/workflow.toml'] },
          files: {
            'flows/child/c.md': file('flows/child/c.md', 'file_inline', '@c.md', 'flows/child/workflow.dot'),
            'prompts/tone.md': file('prompts/tone.md', 'file_inline', '../../prompts/tone.md', 'flows/child/c.md'),
          },
        },
        [MAIN]: {
          source: SOURCE,
          config: { path: 'flows/workflow.toml', source: FILES['flows/workflow.toml'] },
          files: {
            'flows/goal.md': file('flows/goal.md', 'file_inline', '@goal.md', MAIN),
            'flows/parts/test.dot': file('flows/parts/test.dot', 'import', 'parts/test.dot', MAIN),
            'prompts/plan.md': file('prompts/plan.md', 'file_inline', '@../prompts/plan.md', MAIN),
            'prompts/tone.md': file('prompts/tone.md', 'file_inline', 'tone.md', 'prompts/plan.md'),
          },
        },
      },
    });
  });

  it('is the same text wherever in the project it was typed, and names no other place of this machine', async () => {
    const text = JSON.stringify(await build());
    expect(text.split(project.root)).toHaveLength(2);
    const inside = JSON.stringify(await build({ workflow: 'review.dot', cwd: 'flows' }));
    expect(
      inside
        .replace(JSON.stringify(path.join(project.root, 'flows')), JSON.stringify(project.root))
        .replace('"identifier":"review.dot"', `"identifier":"${MAIN}"`),
    ).toBe(text);
  });

  it('leaves out the configuration of another workflow', async () => {
    await project.write({ 'flows/workflow.toml': '[workflow]\ngraph = "other.dot"\n' });
    expect((await build()).workflows[MAIN]).not.toHaveProperty('config');
  });

  it('carries what was typed', async () => {
    await project.write({ 'aim.md': 'Aim.' });
    const request = { title: 'T', runId: 'R', parent: 'P', args: { dry_run: true } };
    expect(await build({ goalFile: 'aim.md', request })).toMatchObject({
      goal: { type: 'file', text: 'Aim.', path: 'aim.md' },
      title: 'T',
      run_id: 'R',
      parent_id: 'P',
      args: { dry_run: true },
    });
  });

  it('holds the files that configurations name', async () => {
    await project.write({
      '.runyard/project.toml':
        '[environments.ci]\nprovider = "docker"\nimage.dockerfile = { path = "../Dockerfile" }\n',
      'flows/workflow.toml': '[workflow]\ngraph = "review.dot"\n[run]\ngoal = { file = "aim.md" }\n',
      Dockerfile: 'FROM node\n',
      'flows/aim.md': 'Aim.',
    });
    expect((await build()).workflows[MAIN]?.files).toMatchObject({
      Dockerfile: {
        content: 'FROM node\n',
        ref: { type: 'dockerfile', original: '../Dockerfile', from: '.runyard/project.toml' },
      },
      'flows/aim.md': { content: 'Aim.', ref: { type: 'file_inline', original: '@flows/aim.md', from: null } },
    });
  });

  it('holds the file that only a rendered prompt or a typed goal names', async () => {
    const source = SOURCE.replace('@../prompts/plan.md', '{{ inputs.at }}../prompts/{{ inputs.file }}.md');
    await project.write({ [MAIN]: source, 'flows/other.md': 'Other.' });
    const inputs = { at: '@', file: 'plan' };
    const { files } = (await build({ inputs, goal: '@other.md' })).workflows[MAIN]!;
    expect(files).toMatchObject({
      'prompts/plan.md': { ref: { type: 'file_inline', original: '@prompts/plan.md', from: null } },
      'flows/other.md': { content: 'Other.' },
    });
  });
});
