import { type Kind } from './kind.js';
import { Field, type Presence } from './field.js';
import { choice, flag, integer, type IntegerRules, textKind, type TextRules } from './values.js';
import { listOf } from './composites.js';

/** Query parameters arrive as text: these read the text first and leave what they cannot read to the check. */

export const QueryText = (rules: TextRules & Presence = {}) => Field(textKind(rules), { ...rules, optional: true });

export const QueryInteger = (rules: IntegerRules & Presence = {}) =>
  Field(reading(integer(rules), toInteger), { ...rules, optional: true });

export const QueryFlag = (presence: Presence = {}) => Field(reading(flag(), toFlag), { ...presence, optional: true });

export const QueryChoice = (words: readonly string[], presence: Presence = {}) =>
  Field(choice(words), { ...presence, optional: true });

/** One of the words; anything else counts as absent. */
export const QueryHint = (words: readonly string[], presence: Presence = {}) =>
  Field(
    reading(choice(words), (value) => (words.includes(value as string) ? value : undefined)),
    {
      ...presence,
      optional: true,
    },
  );

/** A parameter that may be repeated. */
export const QueryChoices = (words: readonly string[], presence: Presence & { name?: string } = {}) =>
  Field(reading(listOf(choice(words, presence.name)), toList), { ...presence, optional: true });

function reading(kind: Kind, read: (text: unknown) => unknown): Kind {
  return { ...kind, into: (value) => (kind.into ? kind.into(read(value)) : read(value)) };
}

function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

function toFlag(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

function toList(value: unknown): unknown {
  return typeof value === 'string' ? [value] : value;
}
