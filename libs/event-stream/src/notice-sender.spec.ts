import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EventNotice } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import { unpackNotices } from './notice-codec.js';
import { NoticeSender } from './notice-sender.js';

const notice = (tenantId: string, runId: string, toSeq: number): EventNotice => ({
  tenantId: tenantId as TenantId,
  runId: runId as RunId,
  fromSeq: toSeq,
  toSeq,
});

/** A connection that answers when the test says so. */
class SlowWire {
  readonly sent: { channel: string; seqs: number[] }[] = [];
  private readonly replies = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();

  readonly send = (channel: string, payload: string): Promise<void> => {
    this.sent.push({ channel, seqs: unpackNotices(payload)!.notices.map(({ toSeq }) => toSeq) });
    return new Promise((resolve, reject) => this.replies.set(channel, { resolve, reject }));
  };

  async reply(channel: string): Promise<void> {
    this.replies.get(channel)!.resolve();
    await settle();
  }

  async fail(channel: string): Promise<void> {
    this.replies.get(channel)!.reject(new Error('gone'));
    await settle();
  }

  carried(channel: string): number {
    return this.sent.filter((one) => one.channel === channel).reduce((sum, { seqs }) => sum + seqs.length, 0);
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the sender of notices', () => {
  let wire: SlowWire;
  let sender: NoticeSender;
  beforeEach(() => {
    wire = new SlowWire();
    sender = new NoticeSender('me', wire.send);
  });

  it('sends one payload at a time on each channel, and lets no channel wait for another', async () => {
    sender.add('a', notice('a', 'run', 1));
    sender.add('b', notice('b', 'run', 1));
    await settle();
    sender.add('a', notice('a', 'run', 2));
    sender.add('a', notice('a', 'run', 3));
    sender.add('b', notice('b', 'run', 2));
    await wire.reply('b');
    expect(wire.sent).toEqual([
      { channel: 'a', seqs: [1] },
      { channel: 'b', seqs: [1] },
      { channel: 'b', seqs: [2] },
    ]);
    await wire.reply('a');
    expect(wire.sent.at(-1)).toEqual({ channel: 'a', seqs: [3] });
  });

  it('drops what waits on a channel that fails, and nothing of others', async () => {
    for (const channel of ['a', 'b']) sender.add(channel, notice(channel, 'run', 1));
    await settle();
    for (const channel of ['a', 'b']) sender.add(channel, notice(channel, 'run', 2));
    await wire.fail('a');
    await wire.reply('b');
    expect(wire.sent.slice(2)).toEqual([{ channel: 'b', seqs: [2] }]);
    sender.add('a', notice('a', 'run', 3));
    await settle();
    expect(wire.sent.at(-1)).toEqual({ channel: 'a', seqs: [3] });
  });

  it('holds ten thousand notices at the most, however many channels there are', async () => {
    for (let index = 0; index < 12_000; index += 1) sender.add(`${index % 100}`, notice('t', `run-${index}`, index));
    await settle();
    for (let at = 0; at < 200; at += 1) await wire.reply(`${at % 100}`);
    expect(wire.sent.reduce((sum, { seqs }) => sum + seqs.length, 0)).toBe(10_000);
    for (let index = 0; index < 12_000; index += 1) sender.add('later', notice('t', `run-${index}`, index));
    await settle();
    while (wire.sent.at(-1)!.seqs.at(-1)! < 9_999) await wire.reply('later');
    expect(wire.carried('later')).toBe(10_000);
  });
});
