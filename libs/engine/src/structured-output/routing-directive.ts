import type { OutcomeStatus } from '#libs/events';
import { isJsonObject, type Json, type JsonObject } from '#libs/kernel';
import { isInternalKey } from '../state/internal-keys.js';
import type { Report } from './reading.js';

/** How an output asks the workflow to go on. */
interface Directive {
  preferred_next_label?: string;
  outcome?: OutcomeStatus;
  failure_reason?: string;
  suggested_next_ids?: string[];
  context_updates?: JsonObject;
}

interface Member {
  accepts(value: Json): boolean;
  /** What it accepts, in words. */
  type: string;
  meaning: string;
}

const STATUSES: readonly Json[] = ['succeeded', 'partially_succeeded', 'failed', 'skipped'] satisfies OutcomeStatus[];

const MEMBERS: Record<keyof Directive, Member> = {
  preferred_next_label: { accepts: isText, type: 'a string', meaning: 'the label of the edge to take' },
  outcome: {
    accepts: (value) => STATUSES.includes(value),
    type: `one of ${STATUSES.map((status) => JSON.stringify(status)).join(', ')}`,
    meaning: 'how the stage ended',
  },
  failure_reason: { accepts: isText, type: 'a string', meaning: 'why it failed, when the outcome is "failed"' },
  suggested_next_ids: {
    accepts: (value) => Array.isArray(value) && value.every(isText),
    type: 'an array of strings',
    meaning: 'ids of nodes to go to, the best first',
  },
  context_updates: { accepts: isJsonObject, type: 'an object', meaning: 'values that later stages find by their keys' },
};
const NAMES = Object.keys(MEMBERS) as (keyof Directive)[];

/** The members, one a line, for whoever writes such an object. */
export const MEMBER_LIST = NAMES.map((name) => `- "${name}": ${MEMBERS[name].type}, ${MEMBERS[name].meaning}`).join(
  '\n',
);

const QUOTED_NAME = new RegExp(`"(?:${NAMES.join('|')})"`);

/** Whether a text that is no JSON looks as if it was meant to be a directive. */
export function looksLikeDirective(text: string): boolean {
  return QUOTED_NAME.test(text);
}

/** Whether an object is a directive, a valid one or not: it has at least one of the members. */
export function isDirective(object: JsonObject): boolean {
  return NAMES.some((name) => Object.hasOwn(object, name));
}

export function issuesOf(object: JsonObject): string[] {
  return NAMES.filter((name) => isBad(object, name)).map((name) => `/${name} must be ${MEMBERS[name].type}`);
}

/** What a directive reports. A member with a value it does not accept counts as absent. */
export function reportOf(object: JsonObject): Report {
  const {
    preferred_next_label: preferredLabel,
    outcome: status = 'succeeded',
    failure_reason: reason,
    suggested_next_ids: suggestedNextIds = [],
    context_updates: updates,
  }: Directive = Object.fromEntries(NAMES.filter((name) => !isBad(object, name)).map((name) => [name, object[name]]));
  return {
    status,
    ...(preferredLabel !== undefined && { preferredLabel }),
    ...(suggestedNextIds.length > 0 && { suggestedNextIds }),
    ...(status === 'failed' && {
      failure: { message: reason || 'The output reports a failure and no reason for it.', category: 'deterministic' },
    }),
    ...(updates && { contextUpdates: withoutInternal(updates) }),
  };
}

function isBad(object: JsonObject, name: keyof Directive): boolean {
  return Object.hasOwn(object, name) && !MEMBERS[name].accepts(object[name] as Json);
}

function withoutInternal(updates: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(updates).filter(([key]) => !isInternalKey(key)));
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}
