import { describe, expect, it } from '@jest/globals';
import { aHook } from '../../../../test/support/a-hook.js';
import { HookList, isBlocking } from './hook-list.js';

const facts = { node_id: 'deploy', handler_type: 'command', edge_from: 'build', edge_to: 'deploy' };

function concerned(matcher: string | null, about: object = facts): boolean {
  return new HookList([aHook({ matcher })]).concernedBy('stage_start', about).length > 0;
}

describe('the hooks that a moment concerns', () => {
  it.each([
    ['deploy', true],
    ['^dep', true],
    ['comm.nd', true],
    ['^build$', true],
    ['^eploy', false],
    ['prod|staging', false],
    ['(', false],
    [null, true],
  ])('with the matcher %j: %j', (matcher, isConcerned) => {
    expect(concerned(matcher)).toBe(isConcerned);
  });

  it('are none with a matcher where the moment has no names', () => {
    expect(concerned('.*', {})).toBe(false);
  });

  it('are those of its event, in their order', () => {
    const hooks = ['a', 'b', 'c'].map((name) => aHook({ name, event: name === 'b' ? 'run_start' : 'stage_start' }));
    const list = new HookList(hooks);
    expect(list.concernedBy('stage_start', facts).map(({ name }) => name)).toEqual(['a', 'c']);
    expect(list.has('run_failed')).toBe(false);
  });

  it('survive a pattern that would take a backtracking engine for ever', () => {
    expect(concerned('^(a+)+$', { node_id: `${'a'.repeat(50)}!` })).toBe(false);
  });
});

describe('a hook', () => {
  it.each([
    ['run_start', true],
    ['stage_start', true],
    ['edge_selected', true],
    ['sandbox_ready', true],
    ['stage_complete', false],
    ['run_failed', false],
    ['checkpoint_saved', false],
  ] as const)('at %s decides unless it says otherwise: %j', (event, decides) => {
    expect(isBlocking(aHook({ event }))).toBe(decides);
    expect(isBlocking(aHook({ event, blocking: !decides }))).toBe(!decides);
  });
});
