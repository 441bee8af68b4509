import { expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { KeptConversations } from './kept-conversations.js';

const lease = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId, epoch: 1, owner: 'ann' };
const saying = (text: string) => [{ role: 'user' as const, text }];

it('are those of one run in one epoch', () => {
  const kept = new KeptConversations();
  kept.of(lease).set('a', saying('Hi'));
  expect(kept.of(lease).get('a')).toEqual(saying('Hi'));
  expect(kept.of({ ...lease, epoch: 2 }).get('a')).toBeUndefined();
  expect(kept.of({ ...lease, runId: '01J0000000000000000000000B' as RunId }).get('a')).toBeUndefined();
});

it('are lost where all together are too long, those that nobody went on with first', () => {
  const kept = new KeptConversations().of(lease);
  const long = 'x'.repeat(15 * 1024 * 1024);
  kept.set('a', saying(long));
  kept.set('b', saying(long));
  kept.get('a');
  kept.set('c', saying(long));
  kept.set('d', saying(long.repeat(3)));
  expect(['a', 'b', 'c', 'd'].map((name) => kept.get(name) !== undefined)).toEqual([true, false, true, false]);
});
