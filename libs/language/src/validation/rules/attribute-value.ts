import { assertNever } from '#libs/kernel';
import { quote } from '../../diagnostics/wording.js';
import { type AttributeType } from '../../graph/attribute-catalogue.js';
import { type DraftAttribute } from '../../graph/draft-attribute.js';
import { type Rule } from '../rule.js';

/** Their own rules say more about them. */
const CHECKED_ELSEWHERE: ReadonlySet<string> = new Set(['for_each', 'stdin_source']);

/**
 * A value that is not what its attribute declares; quotes make no difference to numbers, booleans and durations. A duration
 * without a unit is read as seconds, and a warning.
 */
export const attributeValue: Rule = {
  id: 'attribute_value',
  severity: 'error',
  *check({ draft }) {
    for (const attribute of draft.doubtful) {
      const { declaration, typed, key, literal, owner } = attribute;
      if (!declaration || CHECKED_ELSEWHERE.has(key)) continue;
      if (typed) {
        const message = `The ${owner} attribute ${key} has no unit: ${quote(literal.text)} is read as seconds.`;
        yield { message, span: literal.span, severity: 'warning', fix: `Write ${key}=${literal.text}s.` };
        continue;
      }
      const message = `The ${owner} attribute ${key} cannot be ${quote(literal.text)}: it takes ${expected[declaration.type]}.`;
      const fix = fixFor(attribute, declaration.type);
      yield { message, span: literal.span, ...(fix !== undefined && { fix }) };
    }
  },
};

const expected: Readonly<Record<AttributeType, string>> = {
  string: 'a text',
  integer: `a whole number between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
  boolean: 'true or false',
  duration: 'a duration of at most 365 days, such as 500ms, 30s, 10m, 2h or 1d',
  'switchable duration': 'a duration of at most 365 days, such as 30s, 10m or 2h, or 0 to switch it off',
};

function fixFor({ key, literal: { text } }: DraftAttribute, type: AttributeType): string | undefined {
  switch (type) {
    case 'string':
      return text.length < 40 ? `Put it in quotes: ${key}="${text}".` : 'Put it in quotes.';
    case 'duration':
    case 'switchable duration':
      return /^\d+(?:ms|s|m|h|d)?$/.test(text) ? `Take the longest there is: ${key}=365d.` : undefined;
    case 'integer':
    case 'boolean':
      return undefined;
    default:
      return assertNever(type);
  }
}
