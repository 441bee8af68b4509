import { describe, expect, it } from '@jest/globals';
import type { EventOf } from '#libs/events';
import { checkpointFor, executionOf, type Checkpoint } from './checkpoints.js';

const at = (ordinal: number, stage_id: string): Checkpoint =>
  ({ stage_id, seq: ordinal * 10, properties: { ordinal, current_node: stage_id.split('@')[0] } }) as Checkpoint;
const checkpoints = [at(1, 'build@1'), at(2, 'fork@1'), at(3, 'build@2')];
const inBranch = (node_id: string, parallel_group_id: string) =>
  ({ node_id, stage_id: `${node_id}@1`, parallel_group_id }) as EventOf<'stage.started'>;
const started = [inBranch('outer', 'fork@1'), inBranch('inner', 'outer@1')];

const found = (target?: string) => checkpointFor('01JR', target, checkpoints, started);

describe('a target', () => {
  it.each([
    [undefined, 3],
    ['@1', 1],
    ['build', 3],
    ['build@1', 1],
    ['outer', 2],
    ['inner@1', 2],
  ])('%s is checkpoint %s', (target, ordinal) => expect(found(target)).toBe(checkpoints[ordinal - 1]));

  it('asks for the starts of stages only where no checkpoint has its name', () => {
    expect(checkpointFor('01JR', 'build', checkpoints)).toBe(checkpoints[2]);
    expect(checkpointFor('01JR', 'inner', checkpoints)).toBe('started');
  });

  it('that names none is refused with those that there are', () => {
    const message = 'target: run 01JR has no checkpoint "ship"; it has @1 (build@1), @2 (fork@1), @3 (build@2).';
    expect(() => found('ship')).toThrow(expect.objectContaining({ kind: 'invalid', code: 'unknown_target', message }));
  });

  it('is none in a run without checkpoints', () => {
    const message = 'Run 01JR has no checkpoint yet.';
    expect(() => checkpointFor('01JR', undefined, [])).toThrow(expect.objectContaining({ kind: 'conflict', message }));
  });
});

it('a checkpoint ends the execution that its stage counts', () => {
  expect(checkpoints.map(executionOf)).toEqual([1, 1, 2]);
});
