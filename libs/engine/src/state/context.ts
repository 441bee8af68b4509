import type { KeptMark } from '#libs/events';
import type { Json } from '#libs/kernel';
import { held, hold } from './by-name.js';
import { inherited, nodeAt, visitsOf } from './cursors.js';
import type { RunDefinition } from '../definition/run-definition.js';
import type { Cursor, RunState, Telling } from './state.js';
import { threadGoneOnWith } from './telling.js';

/**
 * A context value by its flat key, as a path sees it: what the engine keeps at hand, what stages of this path wrote,
 * what the path it left holds, what the graph declared.
 */
export function contextValue(
  definition: RunDefinition,
  state: RunState,
  cursor: Cursor,
  key: string,
): Json | undefined {
  return contextEntry(definition, state, cursor, key)?.value;
}

/** A context value, and where in it references to kept values stand. */
export interface ContextEntry {
  value: Json;
  mark?: KeptMark;
}

/** As {@link contextValue}, with where references stand in it. Only what stages wrote may hold one. */
export function contextEntry(
  definition: RunDefinition,
  state: RunState,
  cursor: Cursor,
  key: string,
): ContextEntry | undefined {
  const current = engineValue(state, cursor, key);
  if (current !== undefined) return { value: current };
  const written = inherited(state, cursor, ({ context, kept }) => {
    const value = held(context, key);
    return value === undefined ? undefined : entryOf(value, held(kept, key));
  });
  const seed = written ? undefined : definition.workflow(cursor.workflow).seeds.get(key);
  return seed === undefined ? written : { value: seed };
}

function entryOf(value: Json, mark: KeptMark | undefined): ContextEntry {
  return mark === undefined ? { value } : { value, mark };
}

/** Every key that stages wrote, as a path sees it: its own value first. */
export function contextKeys(state: RunState, cursor: Cursor): Set<string> {
  const keys = new Set<string>();
  inherited(state, cursor, ({ context }) => {
    for (const key of Object.keys(context)) keys.add(key);
    return undefined;
  });
  return keys;
}

/** The context of a path, as it sees it: what the engine keeps at hand, too. */
export function wholeContext(definition: RunDefinition, state: RunState, cursor: Cursor): Record<string, Json> {
  const keys = new Set([
    ...definition.workflow(cursor.workflow).seeds.keys(),
    ...contextKeys(state, cursor),
    ...Object.keys(ENGINE_VALUES),
    ...engineKeys(state, cursor),
  ]);
  const whole: Record<string, Json> = {};
  for (const key of keys) {
    const value = contextValue(definition, state, cursor, key);
    if (value !== undefined) hold(whole, key, value);
  }
  return whole;
}

const RETRY_COUNT = 'internal.retry_count.';
const THREAD = 'thread.';
const CURRENT_NODE = '.current_node';

const ENGINE_VALUES: Readonly<Record<string, (state: RunState, cursor: Cursor) => Json | undefined>> = {
  current_node: (_, cursor) => nodeAt(cursor),
  outcome: (state, cursor) => lastReport(state, cursor)?.status,
  failure_class: (state, cursor) => reported(state, cursor, 'failureCategory'),
  failure_signature: (state, cursor) => reported(state, cursor, 'failureSignature'),
  'internal.work_dir': ({ workDir }) => workDir ?? undefined,
  'internal.node_visit_count': (state, cursor) => visitsOf(state, cursor, nodeAt(cursor)),
  'internal.fidelity': (state, cursor) => tellingOf(state, cursor)?.fidelity,
  'internal.thread_id': (state, cursor) => {
    const telling = tellingOf(state, cursor);
    return telling && threadGoneOnWith(telling);
  },
  'internal.parallel_group_id': (_, { branch, host }) => branch && host?.stageId,
  'internal.parallel_branch_id': (_, { branch, host }) => branch && host && `${host.stageId}:${branch.index}`,
};

function engineValue(state: RunState, cursor: Cursor, key: string): Json | undefined {
  const value = held(ENGINE_VALUES, key);
  if (value) return value(state, cursor);
  if (key.startsWith(RETRY_COUNT)) {
    const node = key.slice(RETRY_COUNT.length);
    return inherited(state, cursor, ({ retries, workflow }) => held(retries, workflow + node));
  }
  if (!key.startsWith(THREAD) || !key.endsWith(CURRENT_NODE)) return undefined;
  return inherited(state, cursor, ({ threads }) => held(threads, key.slice(THREAD.length, -CURRENT_NODE.length)));
}

/** The keys of the engine that are named after nodes and conversations. */
function engineKeys(state: RunState, cursor: Cursor): string[] {
  const keys: string[] = [];
  inherited(state, cursor, ({ retries, threads, workflow }) => {
    keys.push(...Object.keys(retries).map((node) => RETRY_COUNT + node.slice(workflow.length)));
    keys.push(...Object.keys(threads).map((thread) => THREAD + thread + CURRENT_NODE));
    return undefined;
  });
  return keys;
}

/** A path that has begun no stage sees what the path it left was told. */
function tellingOf(state: RunState, cursor: Cursor): Telling | undefined {
  return inherited(state, cursor, ({ telling }) => telling ?? undefined);
}

function reported(state: RunState, cursor: Cursor, what: 'failureCategory' | 'failureSignature'): string | undefined {
  const last = lastReport(state, cursor);
  return last ? (last[what] ?? '') : undefined;
}

/** What the stage recorded last reported: a path that has recorded none yet sees that of the path it left. */
export function lastReport(state: RunState, cursor: Cursor): Cursor['last'] {
  return inherited(state, cursor, ({ last }) => last ?? undefined) ?? null;
}
