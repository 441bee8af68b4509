import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.js';
import { examine } from './examination.js';
import type { History } from './history.js';
import { Losses } from './losses.js';
import { ReferenceLoad } from './reference-load.js';
import type { Report, Trial } from './scenario.js';
import { Site } from './site.js';
import type { SiteOptions } from './site-options.js';
import { Standstills } from './standstills.js';

/** What is done to a site. */
export interface Attack {
  site: Site;
  dice: Dice;
  losses: Losses;
  /** What an attack asks for itself belongs here too. */
  history: History;
  /** Runs of an attack that must succeed. */
  successes: Set<string>;
  /** What an attack itself saw go wrong. */
  faults: string[];
  /** For how long. */
  chaosMs: number;
}

export interface Ordeal {
  site?: Omit<SiteOptions, 'build'>;
  /** Resolves when the chaos is over; what is still broken then is healed. */
  attack(attack: Attack): Promise<Report['figures'] | void>;
  /** Whether runs of the load may end otherwise than well. */
  mayFail?: boolean;
  /** How long a lost run may stand still; not measured when absent. */
  resumedWithinMs?: number;
  /** How long a run that holds a slot may get nowhere while the database answers, if not {@link STANDSTILL_MS}. */
  standstillMs?: number;
  /** Whether workers that live may lose their leases, since they cannot reach the database for so long. */
  livingMayRepeat?: boolean;
}

/** A worker that starts slowly on a busy machine, a lease that has to run out, and a command. */
const STANDSTILL_MS = 30_000;
/** From the end of the chaos. */
const ALL_THROUGH_MS = 180_000;

/** Attacks a site while the reference load is on it, heals it, and examines it when the load is through. */
export async function underLoad({ build, dice, chaosMs, runs }: Trial, ordeal: Ordeal): Promise<Report> {
  const site = await Site.open({ build, ...ordeal.site });
  try {
    await site.start();
    const losses = new Losses(site);
    const load = new ReferenceLoad(site, { runs, spreadMs: chaosMs * 0.8, dice: dice.fork() });
    const working = load.run(chaosMs + ALL_THROUGH_MS);
    await sleep(1_000);
    const standstills = new Standstills(site.stores, ordeal.standstillMs ?? STANDSTILL_MS);
    const successes = new Set<string>();
    const seen: string[] = [];
    const attack = { site, dice: dice.fork(), losses, history: load.history, successes, faults: seen, chaosMs };
    const attacked = await ordeal.attack(attack);
    await site.heal();
    await working;
    const stood = await standstills.close();

    const { followers, history } = load;
    const report = await examine(site, {
      followers,
      history,
      successes: [...successes, ...(ordeal.mayFail ? [] : followers.map(({ runId }) => runId))],
      ...(ordeal.livingMayRepeat && { livingMayRepeat: true }),
    });
    const { figures, faults } = await losses.examine(ordeal.resumedWithinMs);
    const behind = followers.length < runs ? [`${runs - followers.length} of ${runs} runs were never created`] : [];
    return {
      ...report,
      faults: [...report.faults, ...faults, ...seen, ...stood, ...behind],
      figures: { ...report.figures, ...figures, ...attacked },
    };
  } finally {
    await site.close();
  }
}
