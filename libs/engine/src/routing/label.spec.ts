import { expect, it } from '@jest/globals';
import { normalizeLabel } from './label.js';

it.each([
  ['Ship', 'ship'],
  ['  Ship it ', 'ship it'],
  ['[OK] Ship', 'ship'],
  ['[A]Approve', 'approve'],
  ['Y) Yes', 'yes'],
  ['A - Accept', 'accept'],
  ['[A] B) both', 'b) both'],
  ['yes) x', 'yes) x'],
  ['a-b', 'a-b'],
  ['ab - c', 'ab - c'],
  ['[open', '[open'],
  ['', ''],
])('the label %j is compared as %j', (label, normal) => {
  expect(normalizeLabel(label)).toBe(normal);
});
