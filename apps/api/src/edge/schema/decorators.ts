import { listOf, mapOf, type KindOrShape, type MapRules } from './composites.js';
import { Field, type Presence } from './field.js';
import { type ShapeClass } from './kind.js';
import { choice, flag, integer, type IntegerRules, number, textKind, type TextRules } from './values.js';

/** The vocabulary of the DTO files; every decorator says what a member holds, and whether it may be absent or null. */

export const Text = (rules: TextRules & Presence = {}) => Field(textKind(rules), rules);
export const Integer = (rules: IntegerRules & Presence = {}) => Field(integer(rules), rules);
export const Numeric = (presence: Presence = {}) => Field(number(), presence);
export const Flag = (presence: Presence = {}) => Field(flag(), presence);
export const Timestamp = (presence: Presence = {}) => Field(textKind({ format: 'date-time' }), presence);

/** One of a closed list of words. */
export const OneOf = (words: readonly string[], presence: Presence & { name?: string } = {}) =>
  Field(choice(words, presence.name), presence);

/** The word that tells the members of a union apart. */
export const Discriminator = (word: string) => Field(choice([word]));

export const Nested = (type: ShapeClass, presence: Presence = {}) => Field(type, presence);
export const ListOf = (item: KindOrShape, rules: { max?: number } & Presence = {}) => Field(listOf(item, rules), rules);
export const MapOf = (item: KindOrShape, rules: MapRules & Presence = {}) => Field(mapOf(item, rules), rules);
