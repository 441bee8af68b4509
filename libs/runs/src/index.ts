export type { CommandKind, CommandOf, HousekeepingCommand, LinkCommand, RunCommand } from './command.js';
export { forkedFrom, retriedFrom, submit } from './born.js';
export { checkpointFor, executionOf, type Checkpoint } from './checkpoints.js';
export { decide, requireTaken } from './decide.js';
export {
  statusLeft,
  statusOfKind,
  type Change,
  type Decision,
  type Known,
  type Moment,
  type RunHead,
  type Slot,
} from './decision.js';
export {
  IllegalTransitionError,
  ParentCycleError,
  RunActiveError,
  RunArchivedError,
  RunNotFoundError,
} from './errors.js';
export { ForkedHistory } from './forked-history.js';
export { isOver, leadsTo, OVER_STATUSES, statusesFor, type Doing } from './lifecycle.js';
export { walkToRead } from './stored-walk.js';
