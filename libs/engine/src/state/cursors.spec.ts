import { describe, expect, it } from '@jest/globals';
import { aRun, type ARun } from '../../../../test/support/a-run.js';
import { cursorOf, inherited, openStageOf, pathsUnder, requireCursor, scopeOfPath, visitsOf } from './cursors.js';

// fork -> boss[ start -> inner -> (work, more) -> join -> exit ] -> meet ; fork -> ask -> meet ; meet -> exit
const CHILD = `digraph C {
  start; exit; inner [shape=component]; join [shape=diamond]; node [shape=parallelogram, script=x]; work; more
  start -> inner; inner -> work -> join; inner -> more -> join; join -> exit
}`;
const NESTED = `fork [shape=component] meet [shape=diamond] ask [shape=hexagon] boss [shape=house, script="", stack.child_dot_source="${CHILD}"]
  start -> fork; fork -> boss -> meet; fork -> ask -> meet; meet -> exit`;

const PATHS = {
  branch: 'fork@1:0',
  sibling: 'fork@1:1',
  child: 'boss@1',
  inBranch: 'boss.inner@1:0',
  inSibling: 'boss.inner@1:1',
};

const nested = (): ARun => aRun(NESTED).at('boss.work');

describe('the paths of a run', () => {
  it('are the main one, branches and sub-workflows, one inside the other', () => {
    const { state } = nested().walk;
    expect(Object.keys(state.cursors).sort()).toEqual(['main', ...Object.values(PATHS)].sort());
    expect(state.cursors[PATHS.inBranch]).toMatchObject({
      host: { cursor: PATHS.child, stageId: 'boss.inner@1' },
      branch: { index: 0 },
      workflow: 'boss.',
    });
  });

  it('are gone with the stage that opened them', () => {
    const { state } = nested().walk;
    const under = (path: string) => pathsUnder(state, openStageOf(state.cursors[path]!)!);
    expect(under('main')).toEqual([PATHS.branch, PATHS.child, PATHS.inBranch, PATHS.inSibling, PATHS.sibling]);
    expect(under(PATHS.child)).toEqual([PATHS.inBranch, PATHS.inSibling]);
    expect(under(PATHS.inBranch)).toEqual([]);
  });

  it('are the main one where an event names none; one that is over changes nothing', () => {
    const { state } = nested().walk;
    expect(cursorOf(state, {})).toBe(state.cursors.main);
    expect(cursorOf(state, { cursor_id: 'fork@9:0' })).toBeUndefined();
    expect(cursorOf(state, { cursor_id: 'constructor' })).toBeUndefined();
    expect(() => requireCursor(state, 'fork@9:0')).toThrow('No path "fork@9:0" is being walked.');
  });
});

describe('where an event happened', () => {
  it.each([
    ['main', {}],
    [PATHS.branch, { cursor_id: PATHS.branch, parallel_group_id: 'fork@1', parallel_branch_id: PATHS.branch }],
    [PATHS.child, { cursor_id: PATHS.child, parallel_group_id: 'fork@1', parallel_branch_id: PATHS.branch }],
    [
      PATHS.inSibling,
      { cursor_id: PATHS.inSibling, parallel_group_id: 'boss.inner@1', parallel_branch_id: PATHS.inSibling },
    ],
  ])('is its path %s and the innermost branch around it', (path, scope) => {
    expect(scopeOfPath(nested().walk.state, path)).toEqual(scope);
  });
});

describe('what a path inherits', () => {
  it('is its own, else that of the nearest path it left that has it', () => {
    const { state } = nested().walk;
    state.cursors.main!.context = { a: 'main', b: 'main' };
    state.cursors[PATHS.child]!.context = { b: 'child' };
    const read = (key: string) => inherited(state, state.cursors[PATHS.inBranch]!, ({ context }) => context[key]);
    expect([read('a'), read('b'), read('c')]).toEqual(['main', 'child', undefined]);
  });

  it('are visits too: a branch counts on from those before it', () => {
    const { state } = nested().walk;
    state.cursors.main!.visits = { work: 2, other: 1 };
    const branch = state.cursors[PATHS.branch]!;
    branch.visits = { work: 3 };
    expect(['work', 'other', 'never'].map((node) => visitsOf(state, branch, node))).toEqual([3, 1, 0]);
  });
});
