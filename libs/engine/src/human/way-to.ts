import type { Edge } from '#libs/language';
import { normalizeLabel } from '../routing/label.js';
import type { Outcome } from '../stage/outcome.js';
import type { GateChoice } from './options.js';

/**
 * How an outcome says which choice was made. Routing takes the first edge with the preferred label before it looks at
 * suggestions; so where that is another edge than the chosen one, only the target is said.
 */
export function wayTo(
  { option: { label }, edge }: GateChoice,
  edges: readonly Edge[],
): Pick<Outcome, 'preferredLabel' | 'suggestedNextIds'> {
  const wanted = normalizeLabel(label);
  const labelled = edges.find(
    (other) => other.condition === undefined && other.label !== undefined && normalizeLabel(other.label) === wanted,
  );
  const misleads = labelled !== undefined && labelled !== edge;
  return { ...(!misleads && { preferredLabel: label }), suggestedNextIds: [edge.to] };
}
