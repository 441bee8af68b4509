import { expect, it } from '@jest/globals';
import type { TextDelta } from '#libs/api-client';
import { LiveOutput } from './live-output.js';

const piece = (offset: number, delta: string, node = 'build'): TextDelta => ({
  event: 'command.output.delta',
  ...{ run_id: 'R', node_id: node, stage_id: `${node}@1` },
  properties: { offset, delta },
});

it('gives whole lines, each stage for itself, and what is left at the end', () => {
  const live = new LiveOutput();
  expect(live.add(piece(0, 'one\ntw'))).toEqual(['  build │ one']);
  expect(live.add(piece(0, 'other\n', 'test'))).toEqual(['  test │ other']);
  expect(live.add(piece(6, 'o\n\nthr'))).toEqual(['  build │ two', '  build │ ']);
  expect(live.end('build', 'build@1', 'one\ntwo\n\nthr')).toEqual(['  build │ thr']);
  expect(live.end('test', 'test@1', 'other\n')).toEqual([]);
});

it('marks what was missed, and starts again with the next attempt', () => {
  const live = new LiveOutput();
  live.add(piece(0, 'one'));
  expect(live.add(piece(50, 'rest\n'))).toEqual(['  build │ one…', '  build │ rest']);
  expect(live.add(piece(0, 'one\n'))).toEqual(['  build │ one']);
});

it('gives the output of a command that was not seen while it ran', () => {
  const live = new LiveOutput();
  expect(live.end('build', 'build@1', 'one\ntwo\u001b[2J\n')).toEqual(['  build │ one', '  build │ two']);
  expect(live.end('build', 'build@1', '')).toEqual([]);
});
