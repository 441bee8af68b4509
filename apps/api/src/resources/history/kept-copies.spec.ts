import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { InMemoryObjectStore } from '../../../../../test/support/in-memory-object-store.js';
import { KeptCopies } from './kept-copies.js';

const from = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const to = { ...from, runId: '01J0000000000000000000000B' as RunId };
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const place = (run: typeof from, text: string): string => `${run.tenantId}/runs/${run.runId}/blobs/${digestOf(text)}`;

it('are made of what the server referred to in a history, and of nothing that only looks so', async () => {
  const objects = new InMemoryObjectStore();
  const inner = 'inner';
  const outer = JSON.stringify([`blob://sha256/${digestOf(inner)}`]);
  const texts = [inner, outer, 'prompt', 'old', 'forged', 'unrelated'];
  for (const value of texts) await objects.put(place(from, value), Buffer.from(value));
  const copies = new KeptCopies(objects, from, to);
  const reference = (text: string): string => `blob://sha256/${digestOf(text)}`;
  const completed = (properties: object) => ({ event: 'stage.completed', properties });
  await copies.madeFor(
    completed({
      context_updates: { a: `${reference(outer)}#json`, b: reference('gone'), c: reference('forged') },
      kept: { a: 30, b: 30 },
    }),
  );
  await copies.madeFor(completed({ context_updates: { 'command.output': reference('old') } }));
  await copies.madeFor({ event: 'stage.prompt', properties: { text: 'pro…', text_blob: reference('prompt') } });
  const there = async (text: string) => (await objects.get(place(to, text))) !== undefined;
  const copied = await Promise.all([...texts, 'gone'].map(async (text) => ((await there(text)) ? [text] : [])));
  expect(copied.flat()).toEqual([outer, 'prompt', 'old']);
});
