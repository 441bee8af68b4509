import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { KeptCopies } from './kept-copies.js';

const from = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const to = { ...from, runId: '01J0000000000000000000000B' as RunId };
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const place = (run: typeof from, text: string): string => `${run.tenantId}/runs/${run.runId}/blobs/${digestOf(text)}`;

it('are made of what a history refers to, also behind another reference, and of nothing else', async () => {
  const objects = new InMemoryObjectStore();
  const inner = 'inner';
  const outer = JSON.stringify([`blob://sha256/${digestOf(inner)}`]);
  for (const value of [inner, outer, 'unrelated']) await objects.put(place(from, value), Buffer.from(value));
  const copies = new KeptCopies(objects, from, to);
  await copies.madeFor(`{"a":"blob://sha256/${digestOf(outer)}#json","b":"blob://sha256/${digestOf('gone')}"}`);
  const there = async (text: string) => (await objects.get(place(to, text))) !== undefined;
  expect(await Promise.all([inner, outer, 'unrelated', 'gone'].map(there))).toEqual([true, true, false, false]);
});
