import type { Json } from '#libs/kernel';
import type { Fidelity, Node } from '#libs/language';
import { isInternalKey } from '../context/internal-keys.js';
import type { HistoryEntry } from '../run/state.js';

/** What a stage with a model may be told, as it stood when the stage began. */
export interface Briefing {
  fidelity: Fidelity;
  threadId: string | null;
  goal: string;
  runId: string;
  history: readonly HistoryEntry[];
  /** Context keys and values; large values may be references. */
  context: readonly (readonly [key: string, value: Json])[];
  /** The node of an entry of the history. */
  nodeOf: (id: string) => Node | undefined;
}

const HIDDEN = new Set(['outcome', 'last_stage', 'last_response', 'preferred_label']);

/** Keys that are nobody's business but the engine's, or are told elsewhere. */
export function isHidden(key: string): boolean {
  return isInternalKey(key) || HIDDEN.has(key) || key.startsWith('response.');
}
