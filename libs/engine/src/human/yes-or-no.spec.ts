import { expect, it } from '@jest/globals';
import { aGate } from '../../../../test/support/a-gate.js';
import { choicesOf } from './options.js';
import { yesOrNo } from './yes-or-no.js';

it.each([
  ['by label', ['No', 'Yes'], 'Yes', 'No'],
  ['by key', ['[n] Stop', '[YES] Go'], '[YES] Go', '[n] Stop'],
  ['by label before key', ['Next', 'No', 'Yes'], 'Yes', 'No'],
  ['by a label behind its key', ['[1] no', '[2] yes'], '[2] yes', '[1] no'],
  ['by place', ['Ship', 'Rework', 'Drop'], 'Ship', 'Drop'],
  ['by what is left of yes', ['Rework', 'Yes'], 'Yes', 'Rework'],
  ['by what is left of no', ['No', 'Ship'], 'Ship', 'No'],
  ['yes alone', ['Ship'], 'Ship', undefined],
  ['no alone', ['No'], undefined, 'No'],
  ['yes alone, whatever its key', ['[N] Yes'], '[N] Yes', undefined],
  ['by nothing', [], undefined, undefined],
])('yes and no are found %s: %j', (_, labels, yes, no) => {
  const choices = choicesOf(aGate(['exit', ...labels.map((label) => `exit [label="${label}"]`)]).edges.slice(1));
  const found = yesOrNo(choices);
  expect([found.yes?.option.label, found.no?.option.label]).toEqual([yes, no]);
});
