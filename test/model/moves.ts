import type { Lease } from '#libs/engine';
import type { Dice } from '../chaos/dice.js';
import type { Head } from './heads.js';
import { TENANTS, type Worker } from './site.js';
import type { Move, World } from './world.js';

/** What the dice may choose, and how often. A move for which there is nothing to do is none. */
const CHOICES: readonly [number, (world: World, dice: Dice) => Move | undefined][] = [
  [3, start],
  [4, (world) => () => world.round()],
  [4, claimAny],
  [2, claimHinted],
  [2, (world, dice) => withLease(world, dice, (worker, lease) => world.append(worker, lease))],
  [1, (world, dice) => () => world.renew(dice.oneOf(world.workers))],
  [2, park],
  [2, (world, dice) => withLease(world, dice, (worker, lease) => world.handOver(worker, lease))],
  [4, (world, dice) => withLease(world, dice, (worker, lease) => world.end(worker, lease))],
  [1, (world, dice) => () => world.die(dice.oneOf(world.workers))],
  [2, (world) => () => world.reap()],
  [2, zombie],
  [2, (world, dice) => () => world.passes(dice.oneOf([500, 2_000, 11_000, 40_000]))],
  [2, (world, dice) => onRun(world, dice, 'parked', (run) => world.answer(run))],
  [1, (world, dice) => onRun(world, dice, dice.oneOf(['held', 'queued', 'parked']), (run) => world.pause(run))],
  [1, (world, dice) => onRun(world, dice, 'parked', (run) => world.unpause(run))],
  [1, (world, dice) => onRun(world, dice, dice.oneOf(['queued', 'parked']), (run) => world.cancel(run))],
  [1, (world, dice) => () => world.limit(dice.between(1, 5))],
];
const WEIGHTED = CHOICES.flatMap(([weight, choose]) => Array.from({ length: weight }, () => choose));

/** One move, or two at once. */
export function movesOf(world: World, dice: Dice): Move[] {
  const count = dice.next() < 0.15 ? 2 : 1;
  const moves: Move[] = [];
  while (moves.length < count) {
    const move = dice.oneOf(WEIGHTED)(world, dice);
    if (move) moves.push(move);
  }
  return moves;
}

function start(world: World, dice: Dice): Move {
  const tenant = dice.oneOf(TENANTS);
  const count = dice.between(1, 3);
  return () => world.start(tenant, count);
}

function claimAny(world: World, dice: Dice): Move {
  const worker = dice.oneOf(world.workers);
  return () => world.claimAny(worker);
}

/** Bells ring late, twice, and for runs that are gone. */
function claimHinted(world: World, dice: Dice): Move {
  const worker = dice.oneOf(world.workers);
  const hints = [...world.board.heads.values()].filter(() => dice.next() < 0.5);
  return () => world.claimHinted(worker, hints);
}

function park(world: World, dice: Dice): Move | undefined {
  const inMs = dice.oneOf([null, -1_000, 1_000, 30_000]);
  return withLease(world, dice, (worker, lease) => world.park(worker, lease, inMs));
}

/** Who lost a run does not know it, and goes on. */
function zombie(world: World, dice: Dice): Move | undefined {
  if (world.zombies.length === 0) return undefined;
  const { worker, lease } = dice.oneOf(world.zombies);
  const what = dice.oneOf(['append', 'handOver', 'end'] as const);
  return () => world[what](worker, lease);
}

function withLease(world: World, dice: Dice, act: (worker: Worker, lease: Lease) => Promise<void>): Move | undefined {
  const worker = dice.oneOf(world.workers);
  if (worker.leases.length === 0) return undefined;
  const lease = dice.oneOf(worker.leases);
  return () => act(worker, lease);
}

function onRun(world: World, dice: Dice, slot: Head['slot'], act: (run: Head) => Promise<void>): Move | undefined {
  const runs = [...world.board.heads.values()].filter((head) => head.slot === slot);
  if (runs.length === 0) return undefined;
  const run = dice.oneOf(runs);
  return () => act(run);
}
