export type { CommandKind, CommandOf, HousekeepingCommand, LinkCommand, RunCommand } from './command.js';
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
  NoCheckpointError,
  ParentCycleError,
  RunActiveError,
  RunArchivedError,
  RunNotFoundError,
} from './errors.js';
export { isOver, leadsTo, OVER_STATUSES, statusesFor, type Doing } from './lifecycle.js';
export { walkToRead } from './stored-walk.js';
