import { describe, expect, it } from '@jest/globals';
import type { ManifestFileEntry } from './dto/manifest-parts.js';
import { filesOf } from './manifest-files.js';

type Ref = Partial<ManifestFileEntry['ref']>;

const entry = (content: string, ref: Ref = {}): ManifestFileEntry => ({
  content,
  ref: { type: 'file_inline', original: '@nowhere/else.md', ...ref },
});

/** The files of a manifest whose only workflow has these entries; `more` are further workflows. */
function files(entries: Record<string, ManifestFileEntry>, more: Record<string, string> = {}) {
  const others = Object.fromEntries(Object.entries(more).map(([path, source]) => [path, { source }] as const));
  return Object.fromEntries(
    filesOf({ workflows: { 'flows/main.dot': { source: 'main', files: entries }, ...others } }),
  );
}

const MAIN = { 'flows/main.dot': 'main' };

describe('the files of a manifest', () => {
  it('are the sources of all workflows and the files of all of them', () => {
    const workflows = {
      'main.dot': { source: 'main', files: { 'a.md': entry('a', { original: '@a.md' }) } },
      'child.dot': { source: 'child', files: { 'b.md': entry('b', { original: '@b.md' }) } },
    };
    const expected = { 'main.dot': 'main', 'child.dot': 'child', 'a.md': 'a', 'b.md': 'b' };
    expect(Object.fromEntries(filesOf({ workflows }))).toEqual(expected);
  });

  it.each([
    ['./flows//a.md', 'flows/a.md'],
    ['flows/../a.md', 'a.md'],
  ])('with the key %s are found as %s', (key, path) => {
    expect(files({ [key]: entry('a', { original: `@/${key}` }) })).toEqual({ ...MAIN, [path]: 'a' });
  });

  it.each<[string, Ref, string]>([
    ['a file beside the one that refers to it', { original: '@a.md', from: 'flows/main.dot' }, 'flows/a.md'],
    ['a file above', { original: ' @../prompts/a.md', from: './flows/main.dot' }, 'prompts/a.md'],
    ['an import', { type: 'import', original: 'part.dot', from: 'flows/main.dot' }, 'flows/part.dot'],
    ['a reference from the root', { original: '@a.md', from: null }, 'a.md'],
  ])('are found by their references too: %s', (_, ref, path) => {
    expect(files({ '/home/ada/a.md': entry('a', ref) })).toEqual({ ...MAIN, [path]: 'a' });
    expect(files({ 'key.md': entry('a', ref) })).toEqual({ ...MAIN, 'key.md': 'a', [path]: 'a' });
  });

  it('are found by a key before a reference', () => {
    const ref = { original: '@a.md', from: 'flows/main.dot' };
    expect(files({ 'flows/a.md': entry('key', ref), 'b.md': entry('reference', ref) })).toMatchObject({
      'flows/a.md': 'key',
      'b.md': 'reference',
    });
  });

  it('may be sent twice', () => {
    expect(files({ 'a.md': entry('a'), './a.md': entry('a') }, { 'b.dot': 'b' })).toMatchObject({ 'a.md': 'a' });
  });

  it.each<[string, Record<string, ManifestFileEntry>, string]>([
    ['two keys', { 'a.md': entry('a'), './a.md': entry('b') }, 'a.md'],
    ['a file and a workflow', { 'flows/main.dot': entry('a') }, 'flows/main.dot'],
    [
      'two references',
      {
        x: entry('a', { original: '@a.md', from: 'flows/main.dot' }),
        y: entry('b', { original: '@./a.md', from: 'flows/main.dot' }),
      },
      'flows/a.md',
    ],
  ])('that disagree are refused: %s', (_, entries, path) => {
    expect(() => files(entries)).toThrow(`two files for "${path}", which differ`);
  });
});
