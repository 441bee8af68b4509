import { expect, it } from '@jest/globals';
import { choiceKey } from './choice-key.js';

it.each([
  ['[A] Approve', 'A'],
  ['[ok]Ship', 'ok'],
  ['[go on] Ship', 'go on'],
  ['  [A] Approve', 'A'],
  ['Y) Yes', 'Y'],
  ['abc) Ship', 'abc'],
  ['abcd) Ship', 'a'],
  ['R - Reject', 'R'],
  ['R-Reject', 'R'],
  ['12 - twelve', '12'],
  ['[] Nothing', '['],
  ['[ ] Nothing', '['],
  ['[open', '['],
  ['ship', 's'],
  ['🚀 Launch', '🚀'],
  ['  ', '?'],
])('the label %j proposes the key %j', (label, key) => {
  expect(choiceKey(label)).toBe(key);
});
