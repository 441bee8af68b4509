import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CapturedScreen } from '../../../../test/support/cli/captured-screen.js';
import { runyard } from '../program.js';

const PLAIN = 'digraph W {\n  a\n}\n';
const FILES = {
  'good.dot': PLAIN,
  'flows/bad.dot': 'digraph W{a;}',
  'flows/deep/wrong.dot': 'digraph W {\n  a -- b\n}',
  'flows/notes.md': 'digraph W{a;}',
  'flows/node_modules/theirs.dot': 'digraph W{a;}',
};

let folder: string;
let screen: CapturedScreen;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runyard-'));
  await mkdir(path.join(folder, 'flows/deep'), { recursive: true });
  await mkdir(path.join(folder, 'flows/node_modules'));
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), text);
});
afterEach(() => rm(folder, { recursive: true }));

function type(line: string, stdin: (Uint8Array | string)[] = []): Promise<number> {
  screen = new CapturedScreen();
  const env = { RUNYARD_HOME: path.join(folder, 'home') };
  return runyard(line.split(' '), { env, cwd: folder, stdin: Readable.from(stdin), screen });
}

const read = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');

describe('fmt', () => {
  it('rewrites files, and prints those it changed', async () => {
    expect(await type('fmt good.dot flows/bad.dot')).toBe(0);
    expect(screen.written).toEqual({ stdout: 'flows/bad.dot\n', stderr: '✓ 2 workflows: 1 changed\n' });
    expect(await read('flows/bad.dot')).toBe(PLAIN);
    expect(await type('fmt good.dot flows/bad.dot')).toBe(0);
    expect(screen.written.stdout).toBe('');
  });

  it('changes nothing with --check, and names what differs', async () => {
    expect(await type('fmt --check good.dot flows/bad.dot')).toBe(1);
    expect(screen.written).toEqual({ stdout: 'flows/bad.dot\n', stderr: '✗ 2 workflows: 1 not formatted\n' });
    expect(await read('flows/bad.dot')).toBe(FILES['flows/bad.dot']);
    expect(await type('fmt --check good.dot')).toBe(0);
  });

  it('takes every .dot file of a folder that is not of others, and leaves what it cannot read', async () => {
    expect(await type('fmt .')).toBe(1);
    expect(screen.written.stdout).toBe('flows/bad.dot\n');
    expect(screen.written.stderr).toMatch(/^flows\/deep\/wrong\.dot:2:5 error syntax .+\n {4}a -- b\n {6}\^\^\n✗ 3 /);
    expect(await read('flows/deep/wrong.dot')).toBe(FILES['flows/deep/wrong.dot']);
    expect(await read('flows/node_modules/theirs.dot')).toBe(FILES['flows/node_modules/theirs.dot']);
  });

  it('prints what is piped in', async () => {
    const source = Buffer.from('digraph W{x="ü"}');
    expect(await type('fmt -', [source.subarray(0, 14), source.subarray(14)])).toBe(0);
    expect(screen.written.stdout).toBe('digraph W {\n  x = "ü"\n}\n');
    expect(await type('fmt --check -', ['digraph W{}'])).toBe(1);
    expect(await type('fmt -', ['digraph'])).toBe(1);
    expect(screen.written.stdout).toBe('');
  });

  it('prints one document with --json', async () => {
    expect(await type('fmt --json --check flows/bad.dot -', [PLAIN])).toBe(1);
    expect(JSON.parse(screen.written.stdout)).toEqual({
      workflows: [
        { workflow: 'flows/bad.dot', status: 'differs', diagnostics: [] },
        { workflow: '-', status: 'formatted', diagnostics: [], text: PLAIN },
      ],
    });
  });

  it('writes nothing when a path is wrong or a file is no text', async () => {
    await writeFile(path.join(folder, 'latin.dot'), Buffer.from([0x64, 0xfc]));
    expect(await type('fmt flows/bad.dot gone.dot')).toBe(2);
    expect(screen.written.stderr).toContain('There is no workflow gone.dot.');
    expect(await type('fmt flows/bad.dot latin.dot')).toBe(2);
    expect(await type('fmt')).toBe(2);
    expect(await read('flows/bad.dot')).toBe(FILES['flows/bad.dot']);
  });
});
