import type { EventOf } from '#libs/events';
import type { Edge } from '#libs/language';
import { normalizeLabel } from './label.js';

export type SelectionReason = Exclude<EventOf<'edge.selected'>['properties']['reason'], 'jump' | 'retry_target'>;

export interface Selected {
  edge: Edge;
  reason: SelectionReason;
}

/** What the stage that just ended says about the way on. */
export interface Directions {
  preferredLabel?: string;
  suggestedNextIds?: readonly string[];
  /** A failed human gate that names no way never falls through to an unconditional edge. */
  refusesFallThrough: boolean;
}

/** How one of several equally good edges is picked. */
export type Pick = (candidates: readonly Edge[]) => Edge;

/**
 * Chooses the way on from a node: edges whose condition holds; else the unconditional edge with the preferred label;
 * else one to a suggested node; else an unconditional one; else none. Conditions beat labels, whatever their weight.
 */
export function selectEdge(
  outgoing: readonly Edge[],
  holds: (edge: Edge) => boolean,
  directions: Directions,
  pick: Pick,
): Selected | undefined {
  const matching = outgoing.filter((edge) => edge.condition !== undefined && holds(edge));
  if (matching.length > 0) return { edge: pick(matching), reason: 'condition' };

  const unconditional = outgoing.filter((edge) => edge.condition === undefined);
  const { preferredLabel, suggestedNextIds = [], refusesFallThrough } = directions;
  if (preferredLabel !== undefined) {
    const wanted = normalizeLabel(preferredLabel);
    const labelled = unconditional.find((edge) => edge.label !== undefined && normalizeLabel(edge.label) === wanted);
    if (labelled) return { edge: labelled, reason: 'preferred_label' };
  }
  for (const id of suggestedNextIds) {
    const suggested = unconditional.find((edge) => edge.to === id);
    if (suggested) return { edge: suggested, reason: 'suggested_next' };
  }
  if (refusesFallThrough && preferredLabel === undefined && suggestedNextIds.length === 0) return undefined;
  return unconditional.length > 0 ? { edge: pick(unconditional), reason: 'unconditional' } : undefined;
}

/** The heaviest edge; of equals the one to the lexically first node; of those the one declared first. */
export const pickHeaviest: Pick = (candidates) =>
  candidates.reduce((best, edge) => {
    if (edge.weight !== best.weight) return edge.weight > best.weight ? edge : best;
    return edge.to < best.to ? edge : best;
  });

/** A random edge in proportion to its weight (0 and less count as 1), from a number in [0, 1). */
export function pickByChance(random: number): Pick {
  return (candidates) => {
    const weights = candidates.map((edge) => Math.max(1, edge.weight));
    let left = random * weights.reduce((sum, weight) => sum + weight, 0);
    const index = weights.findIndex((weight) => (left -= weight) < 0);
    return candidates[index] ?? candidates[candidates.length - 1]!;
  };
}
