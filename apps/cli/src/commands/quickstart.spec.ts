import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { checkWorkflow } from '../manifest/check-workflow.js';
import { packageRoot } from '../server/standalone.js';
import { WORKFLOW } from './quickstart.js';

it('ships an example about which there is nothing to say', async () => {
  const source = await readFile(path.join(packageRoot(), WORKFLOW), 'utf8');
  expect(checkWorkflow(source).diagnostics).toEqual([]);
});
