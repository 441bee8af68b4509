import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { History, historyFaults, type Operation } from '../chaos/history.js';
import { Member } from '../chaos/member.js';
import { repeatFaults } from '../chaos/repeats.js';
import { serverErrors } from '../support/server-errors.js';
import { notesIn, sideEffectFaults } from '../chaos/side-effects.js';
import { Standstills } from '../chaos/standstills.js';
import { TcpProxy } from '../chaos/tcp-proxy.js';
import type { LoggedEvent } from '../support/checker/logged-event.js';
import { TestProcess } from '../support/processes.js';

describe('what commands noted', () => {
  const faults = (...lines: string[]): string[] => sideEffectFaults(notesIn(lines.join('\n')));

  it('is in order when an epoch ends a command that an earlier one began, or runs it anew', () => {
    expect(faults('r/a@1/1/1 begin', 'r/a@1/1/1 end', 'r/b@1/1/2 begin', 'r/b@1/1/2 end')).toEqual([]);
    expect(faults('r/a@1/1/1 begin', 'r/a@1/1/2 begin', 'r/a@1/1/2 end')).toEqual([]);
    expect(faults('r/a@1/1/1 begin', 'r/b@1/1/2 begin', 'r/a@1/1/1 end', 'r/b@1/1/2 end')).toEqual([]);
  });

  it('shows an attempt that began twice', () => {
    expect(faults('r/a@1/1/1 begin', 'r/a@1/1/1 begin')).toEqual(['attempt r/a@1/1/1 began twice']);
  });

  it('shows an epoch that was still at work when a later one was', () => {
    expect(faults('r/a@1/1/1 begin', 'r/a@1/1/2 begin', 'r/a@1/1/1 end')).toEqual([
      'r/a@1/1/1 was at work while epoch 2 was',
    ]);
  });
});

describe('a command that began twice', () => {
  const claim = (epoch: number, pid: number): LoggedEvent => ({
    ...{ seq: epoch, id: `${epoch}`, storedAtMs: 0, tsMs: 0, transaction: '1' },
    ...{ event: 'run.claimed', epoch, workerId: `host-name-${pid}-1a2b3c4d` },
  });
  const log = [claim(1, 11), claim(2, 22)];
  const twice = notesIn('r/a@1/1/1 begin\nr/a@1/1/2 begin\nr/a@1/1/2 end');
  const faults = (...harmed: number[]): string[] => [...repeatFaults(twice, log, new Set(harmed))];

  it('has an excuse where its worker was harmed', () => {
    expect(faults(11)).toEqual([]);
  });

  it('is seen where its worker lived', () => {
    const fault = 'r/a@1/1 began in epoch 1, and again in epoch 2, and its first worker lived';
    expect(faults(22)).toEqual([fault]);
    expect([...repeatFaults(twice, [], new Set())]).toEqual([fault]);
  });

  it('is nothing that a log without names can tell once a worker was harmed', () => {
    expect([...repeatFaults(twice, [], new Set([11]))]).toEqual([]);
  });

  it('is another thing than a second attempt', () => {
    expect([...repeatFaults(notesIn('r/a@1/1/1 begin\nr/a@1/2/1 begin'), log, new Set())]).toEqual([]);
  });
});

describe('a run that stands still', () => {
  const watched = async (sql: () => Promise<unknown[]>): Promise<string[]> => {
    const standstills = new Standstills({ sql: sql as never }, 20);
    await sleep(1_200);
    return standstills.close();
  };
  const held = { runId: 'r', status: 'starting', slot: 'held', silentMs: 60_000 };

  it('is seen, for the time of the watch', async () => {
    expect(await watched(async () => [held])).toEqual([
      expect.stringMatching(/^r: starting, slot held, it stood still/),
    ]);
    expect(await watched(async () => [{ ...held, silentMs: 10 }])).toEqual([]);
  });

  it('is not blamed while the database is away', async () => {
    expect(await watched(async () => Promise.reject(new Error('away')))).toEqual([]);
  });
});

describe('a process that is asked to end', () => {
  const begun = async (program: string): Promise<Member> => {
    const member = new Member('it', async () => {
      const started = TestProcess.start(['-e', `${program}; setInterval(() => 0, 1000); console.log('ready')`]);
      await started.says('ready');
      return started;
    });
    await member.start();
    return member;
  };

  it('may take its time, and nothing longer', async () => {
    const [good, bad, stubborn] = await Promise.all([
      begun("process.on('SIGTERM', () => process.exit(0))"),
      begun("process.on('SIGTERM', () => process.exit(3))"),
      begun("process.on('SIGTERM', () => 0)"),
    ]);
    await Promise.all([good, bad, stubborn].map((member) => member.stop(2_000)));
    expect(good.stopFaults).toEqual([]);
    expect(bad.stopFaults).toEqual(['it: asked to end, it ended with 3']);
    expect(stubborn.stopFaults).toEqual(['it: alive 2 s after it was asked to end']);
  });

  it('is harmed when it is frozen or killed, and not when it ends well', async () => {
    const [ended, killed, frozen] = await Promise.all(
      [1, 2, 3].map(() => begun("process.on('SIGTERM', () => process.exit(0))")),
    );
    await ended!.stop();
    const { pid } = killed!;
    await killed!.kill();
    frozen!.freeze();
    expect([ended!, killed!, frozen!].map(({ harmed }) => [...harmed])).toEqual([[], [pid], [frozen!.pid]]);
    await frozen!.kill();
  });
});

describe('what clients were told', () => {
  const event = (name: string, questionId?: string): LoggedEvent => ({
    seq: 1,
    id: name,
    epoch: null,
    event: name,
    storedAtMs: 0,
    tsMs: 0,
    transaction: '1',
    questionId,
  });
  const operation = (kind: Operation['kind'], more: Partial<Operation> = {}): Operation => ({
    kind,
    runId: 'r',
    acknowledgement: 'acknowledged',
    tookMs: 1,
    statuses: [200],
    ...more,
  });

  function faults(operations: readonly Operation[], ...log: LoggedEvent[]): string[] {
    const history = new History();
    for (const one of operations) history.add(one);
    return [...historyFaults(history, new Map([['r', log]]))];
  }

  const create = operation('create');
  const created = event('run.created');
  const answer = operation('answer', { questionId: 'q' });

  it('stands in the log, each thing once', () => {
    const operations = [create, operation('start'), answer, operation('cancel')];
    const log = ['run.start_requested', 'run.cancel.requested'].map((name) => event(name));
    expect(faults(operations, created, ...log, event('interview.completed', 'q'))).toEqual([]);
  });

  it('may be missing where nobody said that it was done', () => {
    const operations = [
      create,
      operation('start', { acknowledgement: 'unknown' }),
      operation('cancel', { acknowledgement: 'refused' }),
    ];
    expect(faults(operations, created)).toEqual([]);
  });

  it('is missed where it was acknowledged, and seen where it was done twice', () => {
    expect(faults([create, operation('start')], created)).toEqual(['r: an acknowledged start is 0 times in the log']);
    expect(faults([create], created, created)).toEqual(['r: an acknowledged create is 2 times in the log']);
    expect(faults([create, answer], created, event('interview.completed', 'other'))).toHaveLength(1);
  });

  it('never accepts two answers to one question, or a run that nobody created', () => {
    const log = [created, event('interview.completed', 'q')];
    expect(faults([create, answer, answer], ...log)).toEqual(['2 answers to 1 questions were accepted']);
    expect(faults([], created)).toEqual(['r: nobody created this run']);
  });

  it('says how much was acknowledged, without what was refused', () => {
    const history = new History();
    for (const acknowledgement of ['acknowledged', 'unknown', 'refused'] as const) {
      history.add(operation('start', { acknowledgement, statuses: [0, 503, 500] }));
    }
    expect(history).toMatchObject({ acknowledgedShare: 0.5, serverFaults: 6, lostReplies: 3 });
  });
});

describe('what API processes said', () => {
  const line = (fields: object): string => `${JSON.stringify({ requestId: 'r', ...fields })}\n`;
  const failed = line({ msg: 'A request failed on our side.', error: { message: 'no such column' } });
  const answered = (status: number): string =>
    line({ msg: 'A request was answered.', method: 'GET', route: '/api/v1/runs', status });

  it('shows each 500 with its cause, and no other answer', () => {
    expect(serverErrors([{ output: `${failed}${answered(500)}` }])).toEqual([
      'GET /api/v1/runs was answered with 500: no such column',
    ]);
    expect(serverErrors([{ output: `${failed}${answered(503)}${answered(200)}{"status":5` }])).toEqual([]);
  });
});

describe('a slow wire', () => {
  it('carries everything in its order when it gets fast again', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = await TcpProxy.before(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const arrived = once(server, 'connection') as Promise<[net.Socket]>;
    const client = net.connect(Number(new URL(proxy.urlOf('tcp://127.0.0.1:1')).port), '127.0.0.1');
    const [upstream] = await arrived;
    let heard = '';
    upstream.on('data', (chunk: Buffer) => (heard += chunk.toString()));

    proxy.delay(100);
    client.write('first ');
    await sleep(30);
    proxy.heal();
    client.end('second');
    await once(upstream, 'end');
    expect(heard).toBe('first second');
    await proxy.close();
    server.close();
  });
});
