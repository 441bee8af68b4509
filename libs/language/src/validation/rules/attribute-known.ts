import { nearestName } from '#libs/kernel';
import { quote } from '../../diagnostics/wording.js';
import { catalogue, drawingAttributes, removedAttributes } from '../../graph/attribute-catalogue.js';
import { type Rule } from '../rule.js';

const MAX_HINTS = 50;

/** `max_retry` and `max_retries` are the same word. */
function singular(name: string): string {
  return name.toLowerCase().replace(/ies$/, 'y').replace(/s$/, '');
}

/**
 * Unknown attributes are kept, and those of the graph reach the context, so one is only a hint; a misspelt one is a
 * warning. Once for each name.
 */
export const attributeKnown: Rule = {
  id: 'attribute_known',
  severity: 'info',
  *check({ draft }) {
    const hinted = new Set<string>();
    for (const { owner, key, writtenKey, declaration } of draft.doubtful) {
      if (declaration || drawingAttributes.has(key) || removedAttributes.has(key)) continue;
      if (hinted.has(`${owner} ${key}`)) continue;
      hinted.add(`${owner} ${key}`);
      const known = [...catalogue[owner].keys()];
      const nearest = nearestName(key, known) ?? known.find((name) => singular(name) === singular(key));
      const misspelt = nearest !== undefined && { severity: 'warning' as const, fix: `Did you mean "${nearest}"?` };
      yield { message: `The language knows no ${owner} attribute ${quote(key)}.`, span: writtenKey.span, ...misspelt };
      if (hinted.size >= MAX_HINTS) return;
    }
  },
};
