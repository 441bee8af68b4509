/** Epochs lost in a row without progress, after which a run shares its worker with no other suspect. */
export const SUSPECT_EPOCHS = 2;
const LAST_CHANCE_EPOCHS = 3;
/** Those after which it is not executed any more. */
export const POISON_EPOCHS = 4;
/**
 * Lost epochs whose commands are looked for. They may be more than make a run poison: what goes on beside a command is
 * progress, and who is cut off by a restart of PostgreSQL is not counted.
 */
export const REMEMBERED_EPOCHS = 8;

/** Drives in a row that a defect ended, after which a run is not driven any more. */
export const MAX_DEFECTS = 3;

/** What the workers that a run has lost say about it. */
export type Standing = 'trusted' | 'suspect' | 'last_chance' | 'poison';

/**
 * Losing a worker may be anybody's doing. A run that loses one after another becomes a suspect and is parted from the
 * other suspects, then gets one last chance in a new sandbox, then is taken for poison.
 */
export function standingAfter(lostEpochs: number): Standing {
  if (lostEpochs < SUSPECT_EPOCHS) return 'trusted';
  if (lostEpochs < LAST_CHANCE_EPOCHS) return 'suspect';
  return lostEpochs < POISON_EPOCHS ? 'last_chance' : 'poison';
}
