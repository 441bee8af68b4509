import { createHash } from 'node:crypto';

const BITS = 48;

/**
 * A number in [0, 1) that belongs to one stage of one run: whoever asks for it, and however often, gets the same. Over
 * many stages it is as even as dice.
 */
export function chanceOf(runId: string, stageId: string): number {
  const digest = createHash('sha256').update(`${runId}/${stageId}`).digest();
  return digest.readUIntBE(0, BITS / 8) / 2 ** BITS;
}
