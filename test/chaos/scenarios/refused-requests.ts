import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { workflow } from '../../support/api-caller.js';
import type { Dice } from '../dice.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import type { Site } from '../site.js';
import { underLoad, type Attack } from '../under-load.js';

const EVERY_MS = 700;

export const refusedRequests: Scenario = {
  name: 'refused-requests',
  claim:
    'Between good requests others are refused, rolled back, or cut off in their commit: the good ones do not notice.',
  run: (trial) =>
    underLoad(trial, {
      site: { proxied: true },
      livingMayRepeat: true,
      async attack(attack) {
        const { dice, chaosMs } = attack;
        const until = performance.now() + chaosMs;
        const disturbing = disturb(attack, dice.fork(), until);
        const answers = new Map<string, number>();
        const pairs: Promise<void>[] = [];
        for (; performance.now() < until; await sleep(EVERY_MS)) pairs.push(goodAfterBad(attack, dice.fork(), answers));
        await Promise.all([disturbing, ...pairs]);
        return { pairs: pairs.length, ...Object.fromEntries(answers) };
      },
    }),
};

/**
 * A retry of a run that is not over is refused, and so are other things; the run that is then created on the same process
 * of just that definition, is a good one.
 */
async function goodAfterBad(
  { site, history, successes }: Attack,
  dice: Dice,
  answers: Map<string, number>,
): Promise<void> {
  const client = new PersistentClient([dice.oneOf(site.urls)], site.token, site.directory, history);
  const goal = `Goal ${newUlid(Date.now())}`;
  const [source, first, second] = [workflow(`done [script="true"] start -> done -> exit`), ...ids(2)];
  if ((await client.create(first, source)) !== 'acknowledged') return;
  const runs = `/api/v1/runs/${first}`;
  const bad: readonly (readonly [string, unknown?])[] = [
    [`${runs}/retry`, { edits: { goal } }],
    [`${runs}/unpause`],
    [`${runs}/questions/${newUlid(Date.now())}/answer`, { kind: 'yes' }],
    ['/api/v1/runs', client.manifest(first, workflow('start -> exit'))],
  ];
  for (const [path, body] of bad) {
    const told = String((await client.once(path, body)) ?? 'no reply');
    answers.set(told, (answers.get(told) ?? 0) + 1);
  }
  const changes = { goal: { type: 'value', text: goal } };
  await client.create(second, source, changes);
  successes.add(first).add(second);
  await Promise.all([client.start(first), client.start(second)]);
}

/** Ends what has just begun: sessions in the middle of a transaction, commits whose reply is on its way, waits for locks. */
async function disturb({ site }: Attack, dice: Dice, until: number): Promise<void> {
  while (performance.now() < until) {
    await sleep(dice.between(500, 3_000));
    const what = dice.oneOf(['cut', 'end', 'lock'] as const);
    if (what === 'cut') site.stores.proxies!.postgres.cut();
    else if (what === 'end') await endActive(site);
    else await withLock(site, 'LOCK TABLE run_heads IN EXCLUSIVE MODE', 2_500);
  }
}

async function endActive({ stores }: Site): Promise<void> {
  await stores.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()`,
  );
}

async function withLock({ stores }: Site, lock: string, ms: number): Promise<void> {
  await stores.sql(`BEGIN; ${lock}; SELECT pg_sleep(${ms / 1_000}); COMMIT`);
}

function ids(count: number): [string, string] {
  return Array.from({ length: count }, () => newUlid(Date.now())) as [string, string];
}
