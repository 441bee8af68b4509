import { describe, expect, it } from '@jest/globals';
import { ended, ScriptedSandbox } from '../../../../test/support/scripted-sandbox.js';
import { withListsRead } from './list-files.js';

function reading(values: Record<string, string>, text: string, rest = { exitCode: 0 }) {
  const sandbox = new ScriptedSandbox();
  sandbox.next = ended(text, rest);
  const { signal } = new AbortController();
  const means = { attemptId: 'r/list@1/1/1', sandbox: async () => sandbox, signal };
  return { sandbox, read: withListsRead(values, new Set(['items', 'command.output']), means) };
}

describe('a file that a stage names as a list', () => {
  it.each([
    ['a path', 'file:///tmp/items.json', '/tmp/items.json'],
    ['a printed line', 'file:///tmp/items.json\n', '/tmp/items.json'],
    ['a path with spaces', 'file:///tmp/my%20items.json', '/tmp/my items.json'],
  ])('is read in its sandbox: %s', async (_, value, path) => {
    const { sandbox, read } = reading({ items: value, other: 'x' }, '[1,2]');
    expect(await read).toEqual({ items: '[1,2]', other: 'x' });
    expect(sandbox.commands).toMatchObject([
      { attemptId: 'r/list@1/1/1/list/items', env: { RUNYARD_LIST_FILE: path } },
    ]);
  });

  it.each([
    ['under a name that no branches go through', { notes: 'file:///tmp/items.json' }],
    ['when it is no file', { items: '["file:///tmp/items.json"]' }],
    ['on another machine', { items: 'file://host/tmp/items.json' }],
    ['with a name that no path has', { items: 'file:///tmp/%2Fitems' }],
  ])('is left alone %s', async (_, values) => {
    const { sandbox, read } = reading(values, '');
    expect(await read).toEqual(values);
    expect(sandbox.commands).toEqual([]);
  });

  it('fails the attempt when it cannot be read', async () => {
    const { read } = reading({ items: 'file:///none' }, 'cat: /none: No such file or directory', { exitCode: 1 });
    await expect(read).rejects.toThrow(
      'The for_each source "items" names the file /none, which cannot be read: cat: /none: No such file or directory',
    );
  });

  it('fails the attempt by a path that is too long for any system', async () => {
    const { sandbox, read } = reading({ items: `file:///${'x'.repeat(300_000)}` }, '');
    await expect(read).rejects.toThrow(
      /^The for_each source "items" names a file by a path of more than 4096 bytes\.$/,
    );
    expect(sandbox.commands).toEqual([]);
  });

  it('fails the attempt when it holds too much', async () => {
    const { read } = reading({ items: 'file:///large' }, ' '.repeat(8 * 1024 * 1024 + 1));
    await expect(read).rejects.toThrow('larger than 8388608 bytes');
  });
});
