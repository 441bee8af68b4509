import { expect, it } from '@jest/globals';
import { readReviewTarget } from './review-target.js';

const target = { label: 'Plan', url: 'https://docs.example/plan?v=2#top', kind: 'document' };

it.each([
  ['an object', target],
  ['its text', JSON.stringify(target)],
  ['an object with more in it', { ...target, author: 'ann' }],
])('reads %s', (_, value) => {
  expect(readReviewTarget(value)).toEqual(target);
});

it.each([
  ['a label of 200 characters', { label: '🚀'.repeat(200) }],
  ['an http address', { url: 'http://localhost:8080/plan' }],
  ['an address of 2048 characters', { url: 'https://docs.example/'.padEnd(2048, 'x') }],
])('takes %s', (_, rest) => {
  expect(readReviewTarget({ ...target, ...rest })).toEqual({ ...target, ...rest });
});

it.each([
  ['no label', { label: undefined }, 'label'],
  ['a blank label', { label: ' ' }, 'label'],
  ['a label that is too long', { label: 'x'.repeat(201) }, 'label'],
  ['a label with a line break', { label: 'a\nb' }, 'label'],
  ['no url', { url: 7 }, 'url'],
  ['a relative url', { url: '/plan' }, 'url'],
  ['a url without a host', { url: 'https://' }, 'url'],
  ['a script', { url: 'javascript:alert(1)' }, 'url'],
  ['a file', { url: 'file:///etc/passwd' }, 'url'],
  ['a user name', { url: 'https://ann@docs.example/' }, 'url'],
  ['a password', { url: 'https://:secret@docs.example/' }, 'url'],
  ['a bracket', { url: 'https://docs.example/<plan' }, 'url'],
  ['a bar', { url: 'https://docs.example/a|b' }, 'url'],
  ['a control character', { url: 'https://docs.example/\u0007' }, 'url'],
  ['a url that is too long', { url: 'https://docs.example/'.padEnd(2049, 'x') }, 'url'],
  ['another kind', { kind: 'image' }, 'kind'],
])('refuses %s, and says which part it is', (_, rest, part) => {
  const value = JSON.parse(JSON.stringify({ ...target, ...rest })) as typeof target;
  expect(readReviewTarget(value)).toEqual({
    objection: expect.stringContaining(`The context value review_target is not valid: its ${part} must be`),
  });
});

it.each([[null], ['no JSON'], ['"Plan"'], [[target]], [7]])('refuses %j, which is no object', (value) => {
  expect(readReviewTarget(value)).toEqual({ objection: expect.stringContaining('it must be an object') });
});

it('says that there is none', () => {
  expect(readReviewTarget(undefined)).toEqual({ objection: expect.stringContaining('has no review_target') });
});
