import { openQuestions, type Cursor, type OpenStage } from '#libs/engine';
import type { StampedEvent } from '#libs/events';
import type { ARun } from './a-run.js';

/** What must hold of a run after every append. Returns what does not. */
export function faultsOfMoment({ walk, last, working, definition }: ARun, maxVisits: number): string[] {
  const { cursors, phase, blocked } = walk.state;
  if (phase === 'ended' || !last) return [];
  const faults: string[] = [];
  const atWork = new Set(working.map(({ stage }) => stage.id));
  for (const { stage } of last.work) {
    if (!atWork.has(stage.id)) faults.push(`${stage.id} is to be executed, and is not open`);
  }
  if (!last.unsettled && blocked !== openQuestions(walk.state).length > 0) faults.push(`blocked is ${blocked}`);
  const open = new Set(Object.values(cursors).flatMap((cursor) => openStage(cursor).map(({ id }) => id)));
  for (const [path, { visits, host }] of Object.entries(cursors)) {
    if (host && !open.has(host.stageId)) faults.push(`${path} is walked, and ${host.stageId} is over`);
    for (const node in visits)
      if (visits[node]! > maxVisits) faults.push(`${path} entered ${node} ${visits[node]} times`);
  }
  for (const stage of Object.values(cursors).flatMap(openStage)) {
    if (stage.doing.what !== 'forked') continue;
    const node = definition.node(stage.node);
    const busy = Object.values(cursors).filter((cursor) => cursor.host?.stageId === stage.id && !isResting(cursor));
    if (node?.kind === 'parallel' && busy.length > node.maxParallel)
      faults.push(`${stage.id} walks ${busy.length} at once`);
  }
  return faults;
}

function openStage({ position }: Cursor): OpenStage[] {
  return position.at === 'stage' ? [position.stage] : [];
}

function isResting(cursor: Cursor): boolean {
  return openStage(cursor).some(({ doing }) => doing.what === 'backing_off');
}

/**
 * What must hold of the log of a run that is over: one end, and whatever was opened is closed once and never opened
 * again. The end of a run closes its stages; what else was open is over with it.
 */
export function faultsOfLog(log: readonly StampedEvent[]): string[] {
  const ends = log.filter(({ event }) => event === 'run.completed' || event === 'run.failed');
  const faults = ends.length === 1 && ends[0] === log.at(-1) ? [] : [`${ends.length} ends`];
  const open = new Set<string>();
  const closed = new Set<string>();
  for (const event of log) {
    const [does, what] = bracketOf(event);
    if (does === 'opens') {
      if (closed.has(what)) faults.push(`${what} begins again after its end`);
      open.add(what);
    } else if (does === 'closes') {
      if (!open.delete(what)) faults.push(`${what} ends, and is not open`);
      // A manager that is tried again begins its sub-workflow anew.
      if (!what.startsWith('child')) closed.add(what);
    }
  }
  const isCut = log.at(-1)?.event === 'run.failed';
  const left = [...open].filter((what) => !isCut || what.startsWith('stage'));
  return [...faults, ...left.map((what) => `${what} stays open`)];
}

/** What an event opens or closes. */
function bracketOf(event: StampedEvent): ['opens' | 'closes' | 'neither', string] {
  const { cursor_id, stage_id } = event;
  switch (event.event) {
    case 'stage.started':
      return ['opens', `stage ${stage_id}`];
    case 'stage.failed':
      return [event.properties.will_retry ? 'neither' : 'closes', `stage ${stage_id}`];
    case 'stage.completed':
      return ['closes', `stage ${stage_id}`];
    case 'parallel.branch.started':
      return ['opens', `branch ${cursor_id}`];
    case 'parallel.branch.completed':
      return ['closes', `branch ${cursor_id}`];
    case 'subgraph.started':
      return ['opens', `child ${cursor_id}`];
    case 'subgraph.completed':
      return ['closes', `child ${cursor_id}`];
    case 'interview.started':
      return ['opens', `question ${event.properties.question_id}`];
    case 'interview.completed':
    case 'interview.timeout':
    case 'interview.interrupted':
      return ['closes', `question ${event.properties.question_id}`];
    default:
      return ['neither', ''];
  }
}
