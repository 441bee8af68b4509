import type { RunKey } from '#libs/engine';

/** Whatever run has this id, or the one that was stored at this moment. */
export interface RunOfMoment extends RunKey {
  bornAt?: string | undefined;
}
