import { describe, expect, it } from '@jest/globals';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import { ShapePipe } from '../../edge/schema/shape.pipe.js';
import { aManifest, RUN_ID } from '../../../../../test/support/api/samples.js';
import { RunManifestRequest } from './dto/run-manifest.js';

function read(body: unknown): RunManifestRequest {
  return new ShapePipe().transform(body, { type: 'body', metatype: RunManifestRequest }) as RunManifestRequest;
}

function faultsOf(changes: Record<string, unknown>): readonly string[] {
  try {
    read(aManifest(changes));
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.faults;
    throw error;
  }
}

const git = { origin_url: 'https://git.example/a/b', branch: 'main', dirty: 'clean' };
const entry = { content: 'x', ref: { type: 'import', original: './x.dot' } };
const demo = { source: 'digraph Demo {}' };

describe('a run manifest', () => {
  it('keeps everything it declares', () => {
    const full = aManifest({
      run_id: RUN_ID,
      parent_id: null,
      title: 'Ünïcode 🚢',
      git: { ...git, sha: null, push_outcome: { type: 'failed', remote: 'origin', branch: 'main', message: 'no' } },
      goal: { type: 'value', text: 'ship', path: null },
      args: { model: 'm', verbose: true, label: ['a=b'], input: ['k=v=w', 'empty='] },
      configs: [{ type: 'project', path: '.runyard/project.toml', source: 'x = 1' }, { type: 'user' }],
      workflows: {
        'demo.dot': { ...demo, config: { path: 'demo.toml', source: '' }, files: { toString: entry, 'a/b.md': entry } },
      },
    });
    expect(JSON.parse(JSON.stringify(read(full)))).toEqual(full);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['misses a member', { cwd: undefined }, 'cwd is missing; send text.'],
    ['misses a nested member', { goal: { type: 'value' } }, 'goal.text is missing; send text.'],
    ['has another version', { version: 2 }, 'version must be the integer 1, not 2.'],
    ['has a version as text', { version: '1' }, 'version must be the integer 1, not "1".'],
    ['has null where text belongs', { cwd: null }, 'cwd must be text, not null.'],
    ['has a list where an object belongs', { args: [] }, 'args must be an object, not a list.'],
    ['has an object where a list belongs', { configs: {} }, 'configs must be a list, not an object.'],
    ['has text where a map belongs', { workflows: 'x' }, 'workflows must be an object, not "x".'],
    ['has a fault deep in a list', { args: { label: ['a', 1] } }, 'args.label[1] must be text, not 1.'],
    [
      'has an unknown word',
      { git: { ...git, dirty: 'maybe', push_outcome: { type: 'not_attempted' } } },
      'git.dirty must be one of clean, dirty, unknown, not "maybe".',
    ],
    [
      'has an unknown member of a union',
      { git: { ...git, push_outcome: { type: 'toString' } } },
      'git.push_outcome must have a "type" that is one of not_attempted, succeeded, failed, skipped_no_remote, skipped_remote_mismatch.',
    ],
    [
      'misses a member of a union',
      { git: { ...git, push_outcome: { type: 'succeeded', remote: 'origin' } } },
      'git.push_outcome.branch is missing; send text.',
    ],
    [
      'has a fault under a key',
      { workflows: { 'demo.dot': { ...demo, files: { 'a/b.md': { ...entry, content: 1 } } } } },
      'workflows["demo.dot"].files["a/b.md"].content must be text, not 1.',
    ],
    [
      'has a run id that is no ULID',
      { run_id: 'run-1' },
      'run_id must be a ULID (26 characters, upper case), not "run-1".',
    ],
    ['is its own parent', { run_id: RUN_ID, parent_id: RUN_ID }, 'parent_id must be another run than "run_id".'],
    ['has a blank title', { title: ' \t ' }, 'title must not be blank.'],
    ['has a long title', { title: '🚢'.repeat(101) }, 'title must have at most 100 characters, not 101.'],
    ['has a title of two lines', { title: 'a\nb' }, 'title must be one line without control characters.'],
    [
      'has a control character in its title',
      { title: 'a\u001bb' },
      'title must be one line without control characters.',
    ],
    ['has the character U+0000', { cwd: 'a\u0000b' }, 'cwd holds the character U+0000; remove it.'],
    [
      'has a member that it does not declare',
      { tenant_id: 'acme' },
      '"tenant_id" is no member of this body; leave it out.',
    ],
    ['has a misspelt member', { tittle: 'Ship' }, '"tittle" is no member of this body; perhaps title is meant.'],
    ['has a relative directory', { cwd: 'here' }, 'cwd must be an absolute path without ".." parts, not "here".'],
    [
      'has a directory that leads elsewhere',
      { cwd: '/home/ada/../root' },
      'cwd must be an absolute path without ".." parts, not "/home/ada/../root".',
    ],
    ['has no directory', { cwd: '' }, 'cwd must be an absolute path without ".." parts, not "".'],
    [
      'has a target that is not sent along',
      { target: { identifier: 'x', path: 'other.dot' } },
      'target.path names "other.dot", which is not a key of "workflows"; send that workflow\'s source along.',
    ],
    [
      'has the same path twice',
      { workflows: { 'demo.dot': demo, './demo.dot': demo } },
      'workflows has the same path twice, as "demo.dot" and "./demo.dot"; keep one.',
    ],
    [
      'has an input without a key',
      { args: { input: ['=v'] } },
      'args.input[0] must have the form KEY=VALUE with a key, not "=v".',
    ],
    [
      'has an input without a value',
      { args: { input: ['v'] } },
      'args.input[0] must have the form KEY=VALUE with a key, not "v".',
    ],
    [
      'has a project configuration without a path',
      { configs: [{ type: 'project' }] },
      'configs[0].path is missing; a project configuration needs the path of its file.',
    ],
  ])('that %s is refused', (_, changes, fault) => {
    expect(faultsOf(changes)).toEqual([fault]);
  });

  it.each(['/demo.dot', './demo.dot', 'a/../demo.dot', 'a//demo.dot', 'a\\demo.dot', ''])(
    'whose target is the path %j is refused',
    (path) => {
      const faults = faultsOf({ target: { identifier: 'x', path }, workflows: { [path]: demo } });
      expect(faults).toEqual([expect.stringContaining('target.path must be a relative path')]);
    },
  );

  it.each(['/', '/home/ada/..project', 'C:\\Users\\ada', 'd:/work', '\\\\server\\share'])(
    'accepts the directory %j',
    (cwd) => {
      expect(faultsOf({ cwd })).toEqual([]);
    },
  );

  it('accepts a title of exactly 100 characters and one with spaces around it', () => {
    expect(faultsOf({ title: 'x'.repeat(100) })).toEqual([]);
    expect(read(aManifest({ title: '  Ship it  ' })).title).toBe('Ship it');
  });

  it('is refused for its depth before anything else is looked at', () => {
    const deep = JSON.parse('['.repeat(100) + ']'.repeat(100)) as unknown;
    expect(faultsOf({ extra: deep })).toEqual([expect.stringContaining('deeper than 64 levels')]);
  });

  it('answers at most 20 faults', () => {
    expect(faultsOf({ args: { label: Array(50).fill(1) } })).toHaveLength(20);
  });
});
