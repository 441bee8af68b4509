import { anyOf, quote } from '../../diagnostics/wording.js';
import { DIRECTIONS } from '../../graph/node-values.js';
import { type Rule } from '../rule.js';

export const directionValid: Rule = {
  id: 'direction_valid',
  severity: 'warning',
  *check(workflow) {
    const rankdir = workflow.draft.attributes.text('rankdir');
    if (rankdir === undefined || workflow.graph.attributes.rankdir !== undefined) return;
    const message = `rankdir is ${quote(rankdir)}, which is no direction.`;
    yield workflow.onGraph(message, { attribute: 'rankdir', fix: `Use ${anyOf(DIRECTIONS)}.` });
  },
};
