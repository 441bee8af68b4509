import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RenewalTimer } from './renewal-timer.js';

/** What the database does with each renewal, in order; the last goes on for ever. */
type Answer = 'good' | 'failed' | 'silent';

describe('RenewalTimer', () => {
  let sentAt: number[];
  let distrustedAt: number[];
  let timer: RenewalTimer;

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    sentAt = [];
    distrustedAt = [];
  });
  afterEach(() => {
    timer.stop();
    jest.useRealTimers();
  });

  function answering(...answers: Answer[]): void {
    timer = new RenewalTimer(
      async () => {
        const answer = answers[Math.min(sentAt.length, answers.length - 1)];
        sentAt.push(performance.now());
        if (answer === 'silent') await new Promise(() => undefined);
        if (answer === 'failed') throw new Error('away');
      },
      () => distrustedAt.push(performance.now()),
    );
    timer.start();
  }

  it('renews every three seconds, and all is well', async () => {
    answering('good');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(sentAt).toEqual([3_000, 6_000, 9_000]);
    expect(distrustedAt).toEqual([]);
  });

  it('tries again soon after a failure, and trusts the next good one', async () => {
    answering('good', 'failed', 'failed', 'good');
    await jest.advanceTimersByTimeAsync(12_000);
    expect(sentAt).toEqual([3_000, 6_000, 6_500, 7_000, 10_000]);
    expect(distrustedAt).toEqual([]);
  });

  it.each<{ answer: Answer }>([{ answer: 'failed' }, { answer: 'silent' }])(
    'distrusts the leases seven seconds after the last good renewal was sent, when the next are $answer',
    async ({ answer }) => {
      answering('good', answer);
      await jest.advanceTimersByTimeAsync(20_000);
      expect(distrustedAt).toEqual([10_000]);
    },
  );

  it('says nothing after it was stopped', async () => {
    answering('failed');
    timer.stop();
    await jest.advanceTimersByTimeAsync(20_000);
    expect({ sentAt, distrustedAt }).toEqual({ sentAt: [], distrustedAt: [] });
  });
});
