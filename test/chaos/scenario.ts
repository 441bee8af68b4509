import type { Build } from '../support/standalone.js';
import type { Dice } from './dice.js';

/** What a scenario is given. */
export interface Trial {
  build: Build;
  dice: Dice;
  /** How long faults go on, where a scenario does not say otherwise. */
  chaosMs: number;
  /** Runs of a load. */
  runs: number;
}

/** What came of it: nothing in `faults` when every promise was kept. */
export interface Report {
  faults: string[];
  figures: Record<string, number | string>;
  /** Why it proves nothing, if it does not. */
  voided?: string;
}

export interface Scenario {
  name: string;
  /** What it proves. */
  claim: string;
  run(trial: Trial): Promise<Report>;
}
