import { expect, it } from '@jest/globals';
import pc from 'picocolors';
import { aQuestion } from '../../../../test/support/cli/samples.js';
import { questionLines } from './question-lines.js';

const style = { paint: pc.createColors(false), width: 80 };

it('shows each option behind the key that chooses it', () => {
  const options = [
    { key: 'A', label: '[A] Approve' },
    { key: 'R2', label: 'Revise', description: 'From the beginning\nagain' },
  ];
  expect(questionLines(aQuestion({ options, allow_freeform: true }), style)).toEqual([
    '? approve  Ship it?',
    '    A   Approve',
    '    R2  Revise  From the beginning',
    '    or any text',
  ]);
});

it('shows what it is about, as far as there is room, and nothing a terminal acts upon', () => {
  const review_target = { kind: 'document' as const, label: 'Plan', url: 'https://plans/1' };
  const question = aQuestion({ context_display: 'one\u001b[2J\ntwo\nthree\n', review_target });
  expect(questionLines(question, { ...style, contextLines: 2 })).toEqual([
    '? approve  Ship it?',
    '  │ one',
    '  │ two',
    '  │ … 1 more line',
    '  Plan  https://plans/1',
  ]);
  expect(questionLines(question, { ...style, contextLines: Infinity })).toContain('  │ three');
});
