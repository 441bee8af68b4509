import { type FailureCategory, type OutcomeStatus } from '#libs/events';
import { nearestName } from '#libs/kernel';
import { type Clause } from '../../conditions/condition.js';
import { anyOf, quote } from '../../diagnostics/wording.js';
import { ConditionSyntaxError } from '../../conditions/condition-syntax-error.js';
import { type Rule } from '../rule.js';

const OUTCOMES: Readonly<Record<OutcomeStatus, true>> = {
  succeeded: true,
  failed: true,
  partially_succeeded: true,
  skipped: true,
};
const FAILURE_CLASSES: Readonly<Record<FailureCategory, true>> = {
  transient_infra: true,
  deterministic: true,
  budget_exhausted: true,
  structural: true,
  canceled: true,
  compilation_loop: true,
};
/** Keys whose values are the engine's own words. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['outcome', Object.keys(OUTCOMES)],
  ['failure_class', Object.keys(FAILURE_CLASSES)],
]);
/** A boolean, as other languages write it. */
const BOOLEAN = /^(?:true|false)$/i;
/** Words that begin alike mean the same: `success` and `succeeded`, `fail` and `failed`. */
const STEM = 4;

/** A comparison with a word that the value can never be: it is always false, and `!=` always true. */
export const conditionValue: Rule = {
  id: 'condition_value',
  severity: 'warning',
  *check(workflow) {
    for (const edge of workflow.edgesWith('condition')) {
      const read = workflow.draft.state.conditions.read(edge.condition ?? '');
      if (read instanceof ConditionSyntaxError) continue;
      for (const clause of read.anyOf.flat()) {
        const doubt = doubtAbout(clause);
        if (doubt) yield workflow.onEdge(edge, doubt.message, { attribute: 'condition', fix: doubt.fix });
      }
    }
  },
};

function doubtAbout({ key, test }: Clause): { message: string; fix: string } | undefined {
  if (test.is !== 'equal' && test.is !== 'different') return undefined;
  const { text } = test;
  const values = VALUES.get(key.replace(/^context\./, ''));
  if (!values) {
    const lower = text.toLowerCase();
    if (!BOOLEAN.test(text) || text === lower) return undefined;
    return { message: `A boolean reads as true or false, never as ${quote(text)}.`, fix: `Did you mean "${lower}"?` };
  }
  // A stage that did not fail has no failure class.
  if (values.includes(text) || (text === '' && key.endsWith('failure_class'))) return undefined;
  const meant = nearestName(text, values) ?? values.find((value) => sameStem(value, text));
  return {
    message: `${key} is never ${quote(text)}; it is ${anyOf(values)}.`,
    fix: meant === undefined ? `Compare it with ${anyOf(values)}.` : `Did you mean "${meant}"?`,
  };
}

function sameStem(value: string, text: string): boolean {
  return text.length >= STEM && value.startsWith(text.slice(0, STEM).toLowerCase());
}
