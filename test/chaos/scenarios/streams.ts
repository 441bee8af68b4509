import { newUlid } from '#libs/kernel';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { examine } from '../examination.js';
import { Follower } from '../follower.js';
import { History } from '../history.js';
import { talkative } from '../long-run.js';
import { PersistentClient } from '../persistent-client.js';
import type { Report, Scenario, Trial } from '../scenario.js';
import { Site } from '../site.js';

const EVENTS = 10_000;
const FOLLOWERS = 50;
const RESTART_EVERY_MS = 10_000;
const PATIENCE_MS = 240_000;

export const apiKills: Scenario = {
  name: 'api-kills',
  claim:
    'Fifty streams of ten thousand events, while an API process is killed every 10 s, tell each event once and in order.',
  run: (trial) =>
    onOneRun(trial, async ({ site, runId, chaosMs }) => {
      const { urls, token } = site;
      const followers = Array.from({ length: FOLLOWERS }, (_, i) => {
        const turned = [...urls.slice(i % urls.length), ...urls.slice(0, i % urls.length)];
        return new Follower({ urls: turned, token, runId, slowMs: i % 5 === 0 ? 0 : 100 * (i % 5) });
      });
      let kills = 0;
      for (const until = performance.now() + chaosMs; performance.now() < until; kills++) {
        await sleep(RESTART_EVERY_MS);
        await site.apis[kills % site.apis.length]!.restart();
      }
      const late = sleep(PATIENCE_MS, undefined, { ref: false });
      await Promise.race([Promise.all(followers.map(({ done }) => done)), late]);
      await Promise.all(followers.map((follower) => follower.close()));
      return { followers, figures: { kills, streams: FOLLOWERS } };
    }),
};

const SLOW = 100;
const READERS = 5;
/** What a hundred clients that read nothing may cost an API process. */
const MAX_COST_MB = 60;
/** Long enough that the buffers of the system cannot hold the whole stream. */
const LABEL = 'Decide. '.repeat(100);

export const slowReaders: Scenario = {
  name: 'slow-readers',
  claim: 'A hundred clients that read nothing are cut, cost little memory, and nobody else waits for them.',
  run: (trial) =>
    onOneRun(
      trial,
      async ({ site, runId }) => {
        const growth = site.apis.map(({ pid }) => new Growth(pid!));
        const sleepers = await Promise.all(
          Array.from({ length: SLOW }, () => sleeper(site.urls[0]!, site.token, runId)),
        );
        const followers = Array.from({ length: READERS * site.urls.length }, (_, i) => {
          return new Follower({ urls: [site.urls[i % site.urls.length]!], token: site.token, runId });
        });
        const deadline = performance.now() + PATIENCE_MS;
        while (followers.some(({ sawEnd }) => !sawEnd) && performance.now() < deadline) {
          for (const one of growth) await one.look();
          await sleep(500);
        }
        await Promise.all(followers.map((follower) => follower.close()));
        const cut = (await Promise.all(sleepers.map(wasCut))).filter(Boolean).length;
        const [withSleepers = 0, without = 0] = growth.map(({ mostMb }) => mostMb);
        const cost = withSleepers - without;
        const faults = [
          ...(cost > MAX_COST_MB ? [`${SLOW} slow readers cost ${cost} MB`] : []),
          ...(cut < SLOW ? [`${SLOW - cut} slow readers were not cut`] : []),
        ];
        const figures = { slow: SLOW, cut, 'growth MB': withSleepers, 'growth without MB': without };
        return { followers, figures, faults };
      },
      LABEL,
    ),
};

/** How much more memory a process came to hold than it held at first. */
class Growth {
  mostMb = 0;
  private firstMb: number | undefined;

  constructor(private readonly pid: number) {}

  async look(): Promise<void> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8');
    const nowMb = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1_024);
    this.firstMb ??= nowMb;
    this.mostMb = Math.max(this.mostMb, nowMb - this.firstMb);
  }
}

interface OnOneRun {
  site: Site;
  runId: string;
  chaosMs: number;
}

/** One run that says ten thousand things, followed by many. */
async function onOneRun(
  { build, chaosMs }: Trial,
  follow: (one: OnOneRun) => Promise<{ followers: Follower[]; figures: Report['figures']; faults?: string[] }>,
  label?: string,
): Promise<Report> {
  const site = await Site.open({ build });
  try {
    await site.start();
    const history = new History();
    const client = new PersistentClient(site.urls, site.token, site.directory, history);
    const runId = newUlid(Date.now());
    const created = await client.create(runId, talkative(EVENTS, Math.min(60, Math.round(chaosMs / 2_000)), label));
    if (created !== 'acknowledged') throw new Error(`The run that says much is not there: ${created}.`);
    await client.start(runId);
    const { followers, figures, faults = [] } = await follow({ site, runId, chaosMs });
    await site.heal();
    const report = await examine(site, {
      history,
      followers: followers.map((follower) => ({ runId, follower })),
      successes: [runId],
    });
    return { ...report, faults: [...report.faults, ...faults], figures: { ...report.figures, ...figures } };
  } finally {
    await site.close();
  }
}

/** A client that asks for the stream and then reads nothing. */
async function sleeper(url: string, token: string, runId: string): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const head = [`GET /api/v1/runs/${runId}/attach HTTP/1.1`, `host: ${hostname}`, `authorization: Bearer ${token}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** Reads what is left, and tells whether the connection was ended before the stream was. */
async function wasCut(socket: net.Socket): Promise<boolean> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-4_096)));
  const ended = once(socket, 'close').then(() => true);
  socket.resume();
  const isOver = await Promise.race([ended, sleep(3_000, false, { ref: false })]);
  socket.destroy();
  return isOver && !text.includes('run.completed');
}
