import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AProject } from '../../../../test/support/cli/a-project.js';
import { locateWorkflow } from './locate-workflow.js';

const OWN = '../home/workflows';

let project: AProject;
beforeEach(async () => {
  project = await AProject.of({
    '.runyard/project.toml': '',
    '.runyard/workflows/review/workflow.toml': '',
    '.runyard/workflows/review/workflow.dot': 'review',
    '.runyard/workflows/deploy/workflow.toml': '[workflow]\ngraph = "../../../flows/deploy.dot"',
    'flows/deploy.dot': 'deploy',
    [`${OWN}/review/workflow.toml`]: '',
    [`${OWN}/review/workflow.dot`]: 'my review',
    [`${OWN}/mine/workflow.toml`]: '',
    [`${OWN}/mine/workflow.dot`]: 'mine',
    '../alone/flow.dot': 'alone',
  });
});
afterEach(() => project.remove());

async function locate(typed: string, cwd = '.'): Promise<{ root: string; path: string; config: string | undefined }> {
  const found = await locateWorkflow(typed, path.join(project.root, cwd), project.home);
  const root = path.relative(project.root, found.workspace.root);
  return { root, path: found.path, config: found.config?.path };
}

describe('a workflow', () => {
  it.each([
    ['flows/deploy.dot', '.', { root: '', path: 'flows/deploy.dot', config: undefined }],
    ['deploy.dot', 'flows', { root: '', path: 'flows/deploy.dot', config: undefined }],
    [
      '.runyard/workflows/review/workflow.toml',
      '.',
      { root: '', path: '.runyard/workflows/review/workflow.dot', config: '.runyard/workflows/review/workflow.toml' },
    ],
    ['../alone/flow.dot', '.', { root: '../alone', path: 'flow.dot', config: undefined }],
    ['alone/flow.dot', '..', { root: '..', path: 'alone/flow.dot', config: undefined }],
  ])('is a path when it has an extension: %s in %s', async (typed, cwd, expected) => {
    expect(await locate(typed, cwd)).toEqual(expected);
  });

  it.each([
    [
      'review',
      'flows',
      { root: '', path: '.runyard/workflows/review/workflow.dot', config: '.runyard/workflows/review/workflow.toml' },
    ],
    ['deploy', '.', { root: '', path: 'flows/deploy.dot', config: '.runyard/workflows/deploy/workflow.toml' }],
    ['mine', '.', { root: OWN, path: 'mine/workflow.dot', config: 'mine/workflow.toml' }],
    ['review', '..', { root: OWN, path: 'review/workflow.dot', config: 'review/workflow.toml' }],
  ])('is a name otherwise, of the project before those of the user: %s in %s', async (typed, cwd, expected) => {
    expect(await locate(typed, cwd)).toEqual(expected);
  });

  it.each([
    ['flows/gone.dot', 'There is no workflow flows/gone.dot.'],
    ['gone', 'There is no workflow named gone.'],
    ['../review', 'There is no workflow named ../review.'],
    ['.runyard/gone.toml', 'There is no workflow .runyard/gone.toml.'],
  ])('that is not there is named: %s', async (typed, message) => {
    await expect(locate(typed)).rejects.toThrow(message);
  });

  it('must lie in the workspace of the configuration that names it', async () => {
    await project.write({ [`${OWN}/mine/workflow.toml`]: '[workflow]\ngraph = "../../x.dot"' });
    await expect(locate('mine')).rejects.toThrow('lies outside of');
  });
});
