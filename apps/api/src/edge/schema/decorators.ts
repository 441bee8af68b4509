import { listOf, mapOf, type KindOrShape } from './composites.js';
import { Field, type Presence } from './field.js';
import { type ShapeClass } from './kind.js';
import { choice, flag, integer, type IntegerRules, number, text, type TextRules } from './values.js';

/** The vocabulary of the DTO files; every decorator says what a member holds, and whether it may be absent or null. */

export const Text = (rules: TextRules & Presence = {}) => Field(text(rules), rules);
export const Integer = (rules: IntegerRules & Presence = {}) => Field(integer(rules), rules);
export const Numeric = (presence: Presence = {}) => Field(number(), presence);
export const Flag = (presence: Presence = {}) => Field(flag(), presence);
export const Timestamp = (presence: Presence = {}) => Field(text({ format: 'date-time' }), presence);

/** One of a closed list of words. */
export const Choice = (words: readonly string[], presence: Presence & { name?: string } = {}) =>
  Field(choice(words, presence.name), presence);

/** The word that tells the members of a union apart. */
export const Tag = (word: string) => Field(choice([word]));

export const Nested = (type: ShapeClass, presence: Presence = {}) => Field(type, presence);
export const ListOf = (item: KindOrShape, presence: Presence = {}) => Field(listOf(item), presence);
export const MapOf = (item: KindOrShape, presence: Presence = {}) => Field(mapOf(item), presence);
