import { type StageStatus } from '#libs/events';

/** What says a stage's state without a colour; it stands before the label. */
export const STATE_SIGN: Readonly<Record<StageStatus, string>> = {
  pending: '',
  running: '▶',
  retrying: '↻',
  succeeded: '✓',
  partially_succeeded: '◐',
  failed: '✗',
  skipped: '»',
  cancelled: '⊘',
};
