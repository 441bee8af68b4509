import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { eventsOf, type ColdEvent } from '../log/cold-events.js';
import { packLog } from './pack-log.js';

async function* aLog(seqs: readonly number[], size = 10): AsyncGenerator<ColdEvent> {
  for (const seq of seqs) {
    yield { seq, epoch: 1, storedAt: '2026-11-21T13:00:00.000000Z', body: JSON.stringify({ text: 'x'.repeat(size) }) };
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe('a packed log', () => {
  it('is one gzip file and each of its parts another', async () => {
    const packed = await packLog(aLog(upTo(50), 100_000), 50);
    const whole = gunzipSync(packed.body).toString();
    expect(eventsOf(whole).map(({ seq }) => seq)).toEqual(upTo(50));
    expect(createHash('sha256').update(whole).digest('hex')).toBe(packed.sha256);
    expect(packed.parts.length).toBeGreaterThan(5);
    const parts = packed.parts.map(({ start, end }) => gunzipSync(packed.body.subarray(start, end)).toString());
    expect(parts.join('')).toBe(whole);
    expect(parts.map((part) => eventsOf(part)[0]!.seq)).toEqual(packed.parts.map(({ firstSeq }) => firstSeq));
  });

  it('is the same whenever it is packed', async () => {
    const [one, two] = [await packLog(aLog(upTo(9)), 9), await packLog(aLog(upTo(9)), 9)];
    expect(one).toEqual(two);
  });

  it.each([
    ['without its beginning', [2, 3]],
    ['with a gap', [1, 3]],
    ['with an event twice', [1, 1, 2, 3]],
    ['without its end', [1, 2]],
    ['with more than it should have', [1, 2, 3, 4]],
  ])('is not made of a log %s', async (_what, seqs) => {
    await expect(packLog(aLog(seqs), 3)).rejects.toThrow(RangeError);
  });
});
