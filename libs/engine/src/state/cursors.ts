import type { EventScope } from '#libs/events';
import { InvariantError } from '#libs/kernel';
import { held } from './by-name.js';
import { MAIN_CURSOR, type Cursor, type OpenStage, type RunState } from './state.js';

/** The path that an event is about. Undefined when it is over: what is said of it late changes nothing. */
export function cursorOf(state: RunState, { cursor_id = MAIN_CURSOR }: EventScope): Cursor | undefined {
  return held(state.cursors, cursor_id);
}

export function requireCursor(state: RunState, id: string): Cursor {
  const cursor = held(state.cursors, id);
  if (!cursor) throw new InvariantError(`No path "${id}" is being walked.`);
  return cursor;
}

export function hostOf(state: RunState, { host }: Cursor): Cursor | undefined {
  return host && held(state.cursors, host.cursor);
}

/** What a path holds itself, else what the path it left holds. */
export function inherited<T>(state: RunState, cursor: Cursor, read: (cursor: Cursor) => T | undefined): T | undefined {
  for (let at: Cursor | undefined = cursor; at; at = hostOf(state, at)) {
    const value = read(at);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function visitsOf(state: RunState, cursor: Cursor, node: string): number {
  return inherited(state, cursor, ({ visits }) => held(visits, node)) ?? 0;
}

export function openStageOf({ position }: Cursor): OpenStage | undefined {
  return position.at === 'stage' ? position.stage : undefined;
}

/** The node that a path is in, has left last, or is about to enter. */
export function nodeAt({ position }: Cursor): string {
  return position.at === 'stage' ? position.stage.node : position.node;
}

/** Where a stage of a node is, named alike in every execution of the fork or the manager around it. */
export function placeOf(state: RunState, cursor: Cursor, node: string): string {
  const host = hostOf(state, cursor);
  const around = host && openStageOf(host);
  if (!around) return node;
  return `${placeOf(state, host, around.node)} ${cursor.branch?.index ?? ''}:${node}`;
}

/** Branch `index` of a fork. */
export function branchId(forkStageId: string, index: number): string {
  return `${forkStageId}:${index}`;
}

/** The sub-workflow of a manager's stage. */
export function childId(managerStageId: string): string {
  return managerStageId;
}

/** Every path that a stage opened and that is not over, and those that were opened from there, outermost first. */
export function pathsUnder(state: RunState, stage: OpenStage): string[] {
  return pathsOpenedBy(stage).flatMap((id) => {
    const cursor = held(state.cursors, id);
    if (!cursor) return [];
    const open = openStageOf(cursor);
    return open ? [id, ...pathsUnder(state, open)] : [id];
  });
}

function pathsOpenedBy({ id, doing }: OpenStage): string[] {
  if (doing.what === 'supervising') return [childId(id)];
  return doing.what === 'forked' ? Array.from({ length: doing.begun }, (_, index) => branchId(id, index)) : [];
}

/** How the events of a path say where they happened. */
export function scopeOfPath(state: RunState, id: string): EventScope {
  if (id === MAIN_CURSOR) return {};
  return { cursor_id: id, ...branchScope(state, id) };
}

/** The innermost branch that a path is on. */
function branchScope(state: RunState, id: string): EventScope {
  for (let at = id; at !== MAIN_CURSOR;) {
    const { host, branch } = requireCursor(state, at);
    if (branch && host) return { parallel_group_id: host.stageId, parallel_branch_id: at };
    at = host?.cursor ?? MAIN_CURSOR;
  }
  return {};
}
