import type { KeptMarks } from '#libs/events';
import type { Json } from '#libs/kernel';
import type { Fidelity, Node } from '#libs/language';
import { isInternalKey } from '../state/internal-keys.js';
import type { HistoryEntry } from '../state/state.js';

/** What a stage with a model may be told, as it stood when the stage began. */
export interface Briefing {
  fidelity: Fidelity;
  threadId: string | null;
  goal: string;
  runId: string;
  history: readonly HistoryEntry[];
  /** How many nodes the workflow has, without its start and its exit. */
  nodeCount: number;
  /** Context keys and values. */
  context: readonly (readonly [key: string, value: Json])[];
  /** Where in those references to kept values stand, by key. A handler gets a briefing without any. */
  kept: KeptMarks;
  /** The end of a `command.output` that was kept, and the lines before it. */
  output?: { end: string; linesBefore: number };
  /** The node of an entry of the history. */
  nodeOf: (id: string) => Node | undefined;
}

const HIDDEN = new Set(['outcome', 'last_stage', 'last_response', 'preferred_label']);

/** Keys that are nobody's business but the engine's, or are told elsewhere. */
export function isHidden(key: string): boolean {
  return isInternalKey(key) || HIDDEN.has(key) || isAnswer(key);
}

/** Keys whose values a model may be told. Answers are, where stages are told one by one with all that they said. */
export function isTold(key: string, fidelity: Fidelity): boolean {
  return !isHidden(key) || (isAnswer(key) && (fidelity === 'full' || fidelity === 'summary:high'));
}

/** Whether values of the context are told at all. */
export function tellsValues(fidelity: Fidelity): boolean {
  return fidelity !== 'truncate' && fidelity !== 'summary:low';
}

function isAnswer(key: string): boolean {
  return key.startsWith('response.');
}
