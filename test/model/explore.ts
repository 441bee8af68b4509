import { Dice } from '../chaos/dice.js';
import { movesOf } from './moves.js';
import type { Site } from './site.js';
import { World } from './world.js';

/** Moves of one interleaving, before everything comes to its end. */
const MOVES = 14;

/** One random order of what processes do, from an empty board until every run is over. Returns what was wrong. */
export async function explore(site: Site, seed: number): Promise<string[]> {
  const dice = new Dice(seed);
  await site.clear(dice, dice.between(1, 4));
  const world = new World(site, dice);
  for (let move = 0; move < MOVES && world.faults.length === 0; move++) await world.step(...movesOf(world, dice));
  if (world.faults.length === 0) await world.drain();
  return world.faults;
}
