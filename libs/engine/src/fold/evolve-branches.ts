import type { EventOf, KeptMarks, StampedEvent } from '#libs/events';
import type { Json } from '#libs/kernel';
import { isInternalKey } from '../state/internal-keys.js';
import { inOneLine } from '../stage/first-cause.js';
import { failureOf } from '../state/causes.js';
import { cursorOf, hostOf, openStageOf } from '../state/cursors.js';
import { forgetOutcomes } from './restarts.js';
import { MAIN_CURSOR, newCursor, type Cursor, type RunState } from '../state/state.js';
import { write } from './written.js';

type BranchEvent = Extract<
  StampedEvent,
  EventOf<
    | 'parallel.started'
    | 'parallel.branch.started'
    | 'parallel.branch.completed'
    | 'parallel.completed'
    | 'subgraph.started'
    | 'subgraph.completed'
  >
>;

/** Folds the events by which paths begin and end. */
export function evolveBranches(state: RunState, event: BranchEvent): void {
  switch (event.event) {
    case 'parallel.started': {
      const stage = openStage(cursorOf(state, event));
      if (stage) stage.doing = { what: 'forked', branches: event.properties.branch_count, begun: 0, over: [] };
      return;
    }
    case 'parallel.branch.started': {
      const { index, item_label } = event.properties;
      const cursor = open(state, event, event.node_id ?? '');
      if (!cursor) return;
      cursor.branch = { index, ...(item_label !== undefined && { itemLabel: item_label }) };
      const fork = openStage(hostOf(state, cursor));
      if (fork?.doing.what === 'forked') fork.doing.begun = index + 1;
      return;
    }
    case 'parallel.branch.completed': {
      const cursor = cursorOf(state, event);
      const fork = cursor && openStage(hostOf(state, cursor));
      if (!cursor?.branch || fork?.doing.what !== 'forked') return;
      const { status, failure: said } = event.properties;
      const ofStages = status === 'failed' ? failureOf(state, cursor.failing[0]) : undefined;
      const failure = said ? inOneLine(said.message) : ofStages;
      const { context, kept } = cursor;
      fork.doing.over.push({ ...cursor.branch, status, ...(failure && { failure }), context, kept });
      delete state.cursors[event.cursor_id ?? ''];
      return;
    }
    case 'parallel.completed': {
      const cursor = cursorOf(state, event);
      if (!cursor) return;
      const { results = [] } = event.properties;
      const doing = openStageOf(cursor)?.doing;
      const ends = new Map((doing?.what === 'forked' ? doing.over : []).map((end) => [end.index, end]));
      const marks: KeptMarks = {};
      const whole = results.map(({ id, index, item_label, status }, place): Json => {
        const end = ends.get(index);
        const label = end?.itemLabel ?? item_label;
        const named = label === undefined ? {} : { item_label: label };
        const kept = withoutInternal(end?.kept ?? {});
        if (Object.keys(kept).length > 0) marks[place] = { context_updates: kept };
        return { id, index, ...named, status, context_updates: withoutInternal(end?.context ?? {}) };
      });
      write(cursor, 'parallel.branch_count', results.length);
      write(cursor, 'parallel.results', whole, Object.keys(marks).length > 0 ? marks : undefined);
      return;
    }
    case 'subgraph.started': {
      const cursor = open(state, event, event.properties.start_node);
      if (!cursor) return;
      cursor.workflow = `${event.node_id}.`;
      forgetOutcomes(state, cursor.workflow);
      return;
    }
    case 'subgraph.completed': {
      const cursor = cursorOf(state, event);
      if (!cursor) return;
      const { status, failure } = event.properties;
      cursor.position = { at: 'end', node: '', status, ...(failure && { failure }) };
      return;
    }
  }
}

/** What a path may hand to others: what its stages wrote, without the engine's own keys. */
export function withoutInternal<T>(context: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(context).filter(([key]) => !isInternalKey(key) && key !== 'preferred_label'),
  );
}

/** A new path, hosted by the stage that the event names. */
function open(
  state: RunState,
  { cursor_id, stage_id, ts }: BranchEvent & { ts: string },
  node: string,
): Cursor | undefined {
  const host = pathWithStage(state, stage_id);
  if (cursor_id === undefined || stage_id === undefined || host === undefined) return undefined;
  const { workflow } = state.cursors[host]!;
  const cursor: Cursor = { ...newCursor(node, Date.parse(ts)), workflow, host: { cursor: host, stageId: stage_id } };
  state.cursors[cursor_id] = cursor;
  return cursor;
}

/** The path on which a stage is open. The main one, which is asked first, is where most forks are. */
function pathWithStage(state: RunState, stageId: string | undefined): string | undefined {
  if (openStageOf(state.cursors[MAIN_CURSOR]!)?.id === stageId) return MAIN_CURSOR;
  for (const id in state.cursors) if (openStageOf(state.cursors[id]!)?.id === stageId) return id;
  return undefined;
}

function openStage(cursor: Cursor | undefined): ReturnType<typeof openStageOf> {
  return cursor && openStageOf(cursor);
}
