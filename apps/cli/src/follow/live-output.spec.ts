import { expect, it } from '@jest/globals';
import type { TextDelta } from '#libs/api-client';
import { LiveOutput } from './live-output.js';

const piece = (offset: number, delta: string, node = 'build'): TextDelta => ({
  event: 'command.output.delta',
  ...{ run_id: 'R', node_id: node, stage_id: `${node}@1` },
  properties: { offset, delta },
});

const ended = (live: LiveOutput, output: string, output_bytes?: number, node = 'build'): string[] =>
  live.end(node, `${node}@1`, { output, ...(output_bytes !== undefined && { output_bytes }) });

it('gives whole lines, each stage for itself, and what is left at the end', () => {
  const live = new LiveOutput();
  expect(live.add(piece(0, 'one\ntw'))).toEqual(['  build │ one']);
  expect(live.add(piece(0, 'other\n', 'test'))).toEqual(['  test │ other']);
  expect(live.add(piece(6, 'o\n\nthr'))).toEqual(['  build │ two', '  build │ ']);
  expect(ended(live, 'one\ntwo\n\nthr')).toEqual(['  build │ thr']);
  expect(ended(live, 'other\n', 6, 'test')).toEqual([]);
});

it('says what was missed, and starts again with the next attempt', () => {
  const live = new LiveOutput();
  live.add(piece(0, 'one'));
  expect(live.add(piece(50, 'rest\n'))).toEqual([
    '  build │ one',
    '  build │ … about 47 B not shown',
    '  build │ rest',
  ]);
  expect(live.add(piece(0, 'one\n'))).toEqual(['  build │ one']);
  expect(live.add(piece(1e6, 'end\n'))).toEqual(['  build │ … about 976.6 KiB not shown', '  build │ end']);
});

it('gives the output of a command that was not seen while it ran', () => {
  const live = new LiveOutput();
  expect(ended(live, 'one\ntwo\u001b[2J\n')).toEqual(['  build │ one', '  build │ two']);
  expect(ended(live, '')).toEqual([]);
  expect(ended(live, 'last\n', 2_048)).toEqual(['  build │ … about 2.0 KiB not shown', '  build │ last']);
});

it('gives nothing twice: a piece that comes behind the end is late, until the next attempt begins', () => {
  const live = new LiveOutput();
  expect(ended(live, 'quick\n')).toEqual(['  build │ quick']);
  expect(live.add(piece(0, 'quick\n'))).toEqual([]);
  live.begin('build@1');
  expect(live.add(piece(0, 'again\n'))).toEqual(['  build │ again']);
});

it.each([
  ['whose last pieces were dropped', 'one\ntwo\nthree\n', 14, ['two', 'three']],
  ['of which less is known than was dropped', 'three\n', 14, ['… about 4 B not shown', 'three']],
  ['that ends in the middle of what is known', 'e\ntwo\nthree\n', 14, ['two', 'three']],
  ['whose end came, and something before it did not', 'one\n', 1_000, ['… about 996 B not shown']],
])('gives the end of an output %s, and says what it cannot give', (_, output, bytes, lines) => {
  const live = new LiveOutput();
  live.add(piece(0, 'one\n'));
  expect(ended(live, output, bytes)).toEqual(lines.map((line) => `  build │ ${line}`));
});

it('goes on with a line whose end was dropped', () => {
  const live = new LiveOutput();
  live.add(piece(0, 'one\ntw'));
  expect(ended(live, 'one\ntwo\nthree\n', 14)).toEqual(['  build │ two', '  build │ three']);
});
