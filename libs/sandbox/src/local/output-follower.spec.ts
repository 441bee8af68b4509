import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutputFollower } from './output-follower.js';

describe('a follower of an output', () => {
  let folder: string;
  let path: string;
  let seen: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'runyard-'));
    path = join(folder, 'output');
    seen = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const follower = () => new OutputFollower(path, (text) => seen.push(text));

  it('decodes characters across the borders of what it reads', async () => {
    const follow = follower();
    const bytes = Buffer.from('a😀b');
    writeFileSync(path, bytes.subarray(0, 3));
    follow.advance(3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    appendFileSync(path, bytes.subarray(3));
    await follow.finish(6);
    expect(seen).toEqual(['a', '😀b']);
  });

  it('ends half a character as a replacement', async () => {
    writeFileSync(path, Buffer.from('a😀').subarray(0, 4));
    await follower().finish(4);
    expect(seen.join('')).toBe('a\ufffd');
  });

  it('leaves out what is too far behind, and says so', async () => {
    writeFileSync(path, 'x'.repeat(3_000_000));
    await follower().finish(3_000_000);
    expect(seen.join('')).toBe(`\n[${3_000_000 - 65_536} bytes left out]\n${'x'.repeat(65_536)}`);
  });

  it('reads nothing of a command that wrote nothing', async () => {
    await follower().finish(0);
    expect(seen).toEqual([]);
  });

  it('passes on what went wrong', async () => {
    await expect(follower().finish(5)).rejects.toMatchObject({ code: 'ENOENT' });
    writeFileSync(path, 'x');
    const failing = new OutputFollower(path, () => {
      throw new Error('no more, please');
    });
    await expect(failing.finish(1)).rejects.toThrow('no more, please');
  });
});
