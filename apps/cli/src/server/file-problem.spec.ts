import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { faultOf } from './fault.js';
import { fileProblem } from './file-problem.js';

const thrownBy = (act: () => Promise<unknown>): Promise<unknown> => act().catch((thrown: unknown) => thrown);

it('says in words what the system says of a file, and ends with the code for that', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'runyard-'));
  const gone = path.join(folder, 'gone.dot');
  const file = path.join(folder, 'a.dot');
  await writeFile(file, '');
  const missing = await thrownBy(() => readFile(gone));
  expect(faultOf(missing)).toEqual({ exitCode: 2, message: `${gone} does not exist.` });
  expect(fileProblem(await thrownBy(() => readFile(path.join(file, 'below'))))).toBe(
    'lies in something that is no folder',
  );
  expect(faultOf(await thrownBy(() => readFile(folder))).message).toMatch(/is a folder\.$/);
  await rm(folder, { recursive: true });
});

it('tells what may not be opened, and nothing of other errors', () => {
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open', path: '/a' });
  expect(faultOf(denied).message).toMatch(/^\/a may not be opened by you/);
  expect(fileProblem(new Error('no'))).toBeUndefined();
  expect(fileProblem(Object.assign(new Error('no'), { code: 'ECONNREFUSED', syscall: 'connect' }))).toBeUndefined();
});
