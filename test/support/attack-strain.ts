/**
 * Every file of attacks fails where the process that its server shares with it computes for longer than this without a
 * break, from its first test to its last. What a spec itself computes counts, too; time in which others had the machine
 * does not. The memory of such a process says nothing: most of it is the specs'.
 */
import { afterAll, afterEach, beforeEach } from '@jest/globals';
import { Strain } from './strain.js';

/** Four times what a server may: Jest shares the process, and collects the garbage of all its files on the same thread. */
const HELD_MS = 1_000;

let strain: Strain | undefined;
let heldMs = 0;
beforeEach(() => void (strain ??= new Strain()));
afterEach(() => void (heldMs = Math.round(strain?.heldMs ?? 0)));
afterAll(() => {
  strain?.end();
  if (heldMs >= HELD_MS) throw new Error(`The event loop was held for ${heldMs} ms; ${HELD_MS} is too long.`);
});
