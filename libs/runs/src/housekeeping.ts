import type { CommandOf } from './command.js';
import { NOTHING, type Change, type Decision, type Known, type Moment, type RunHead } from './decision.js';
import { ParentCycleError } from './errors.js';

/** None of this moves a run: its worker goes on, and its place in the queue stays. */

export function archive(
  { isArchived }: RunHead,
  { actor }: CommandOf<'archive'>,
  _known: Known,
  { stamp }: Moment,
): Change {
  return isArchived ? NOTHING : { events: [stamp({ event: 'run.archived', actor, properties: {} })] };
}

export function unarchive(
  { isArchived }: RunHead,
  { actor }: CommandOf<'unarchive'>,
  _known: Known,
  { stamp }: Moment,
): Change {
  return isArchived ? { events: [stamp({ event: 'run.unarchived', actor, properties: {} })] } : NOTHING;
}

export function rename(_: RunHead, command: CommandOf<'rename'>, _known: Known, { stamp }: Moment): Change {
  const { actor, title, presentTitle } = command;
  if (title === presentTitle) return NOTHING;
  return { events: [stamp({ event: 'run.title.updated', actor, properties: { title } })] };
}

export function link({ runId }: RunHead, command: CommandOf<'link'>, _known: Known, { stamp }: Moment): Decision {
  const { actor, parentId, previousParentId, lineage } = command;
  if (previousParentId === parentId) return NOTHING;
  if (lineage.has(runId)) return new ParentCycleError(runId, parentId);
  const properties = {
    parent_id: parentId,
    ...(previousParentId !== null && { previous_parent_id: previousParentId }),
  };
  return { events: [stamp({ event: 'run.parent.linked', actor, properties })] };
}

export function unlink(
  _: RunHead,
  { actor, previousParentId }: CommandOf<'unlink'>,
  _known: Known,
  { stamp }: Moment,
): Change {
  if (previousParentId === null) return NOTHING;
  const properties = { previous_parent_id: previousParentId };
  return { events: [stamp({ event: 'run.parent.unlinked', actor, properties })] };
}

/** A removal that got stuck is gone on with; only the first one says so. */
export function remove({ status }: RunHead, { actor }: CommandOf<'remove'>, _known: Known, { stamp }: Moment): Change {
  return status === 'removing' ? NOTHING : { events: [stamp({ event: 'run.removing', actor, properties: {} })] };
}

/** A run that is replaced is archived with it. */
export function rewind(_: RunHead, command: CommandOf<'rewind'>, _known: Known, { stamp }: Moment): Change {
  const { actor, newRunId, checkpoint } = command;
  const properties = {
    new_run_id: newRunId,
    target_checkpoint_ordinal: checkpoint.ordinal,
    target_node_id: checkpoint.nodeId,
    target_visit: checkpoint.visit,
  };
  return {
    events: [
      stamp({ event: 'run.superseded_by', actor, properties }),
      stamp({ event: 'run.archived', actor, properties: {} }),
    ],
  };
}
