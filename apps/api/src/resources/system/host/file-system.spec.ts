import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { fileSystemResources } from './file-system.js';

it('measures the file system of a folder', async () => {
  const found = await fileSystemResources(tmpdir());
  expect(found).toMatchObject({ supported: true, storage_path: tmpdir() });
  expect(found.total_bytes).toBeGreaterThanOrEqual(found.used_bytes! + found.available_bytes!);
  if (process.platform === 'linux') expect(found.mount_point).toMatch(/^\//);
});

it('says why there is nothing to measure', async () => {
  expect(await fileSystemResources('/nowhere/at/all')).toMatchObject({
    supported: false,
    unavailable_reason: expect.stringContaining('ENOENT'),
    total_bytes: null,
  });
});
