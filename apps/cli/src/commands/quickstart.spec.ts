import { expect, it } from '@jest/globals';
import { homeOf, packageRoot } from '#libs/config';
import { readWorkflow } from '../manifest/authored-workflow.js';
import { WORKFLOW } from './quickstart.js';

it('ships an example about which there is nothing to say', async () => {
  const { diagnostics } = await readWorkflow(WORKFLOW, {}, { cwd: packageRoot(), home: homeOf({}) });
  expect(diagnostics).toEqual([]);
});
