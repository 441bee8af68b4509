import type { QuestionOption } from '#libs/events';
import { choiceKey, type Edge } from '#libs/language';

/** An edge that a person may choose, with what the choice is called. */
export interface GateChoice {
  option: QuestionOption;
  edge: Edge;
}

/** The edges of a gate that are choices, in their order; one for free text is none. */
export function choicesOf(edges: readonly Edge[]): GateChoice[] {
  const keys = new Set<string>();
  return edges
    .filter((edge) => !edge.freeform)
    .map((edge) => {
      const label = edge.label ?? edge.to;
      const key = distinct(choiceKey(label), keys);
      keys.add(key);
      return { option: { key, label }, edge };
    });
}

/** Whether a choice that is called so would be followed, as far as the condition of its edge decides that. */
export type IsOpen = (edge: Edge, option: QuestionOption) => boolean;

/** How free text is called in the context. */
const WORDS: QuestionOption = { key: 'freeform', label: '' };

/** The choices that lead somewhere now; the keys of the others stay theirs. */
export function openChoicesOf(edges: readonly Edge[], isOpen: IsOpen): GateChoice[] {
  return choicesOf(edges).filter(({ edge, option }) => isOpen(edge, option));
}

/** Where free text leads now. */
export function openFreeformEdge(edges: readonly Edge[], isOpen: IsOpen): Edge | undefined {
  const edge = freeformEdge(edges);
  return edge && isOpen(edge, WORDS) ? edge : undefined;
}

/** Where free text leads: the last edge that takes it. */
export function freeformEdge(edges: readonly Edge[]): Edge | undefined {
  return edges.findLast((edge) => edge.freeform);
}

/** Keys tell options apart, so one that is taken gets a number. */
function distinct(key: string, taken: ReadonlySet<string>): string {
  if (!taken.has(key)) return key;
  for (let n = 2; ; n++) if (!taken.has(`${key}${n}`)) return `${key}${n}`;
}
