export type { EventCatalogue, EventName } from './catalogue.js';
export {
  decodeEvent,
  encodeEvent,
  isKnown,
  isProgress,
  isTerminalEvent,
  stamp,
  withSeq,
  type EncodedEvent,
} from './codec.js';
export {
  isReference,
  keptReferencesOf,
  marksOf,
  marksRead,
  referencesIn,
  REFERENCE_BYTES,
  referenceTo,
  readReference,
} from './kept-values.js';
export { goalInBrief, largeTextIn, withoutLargeText } from './large-texts.js';
export { MAX_NAME_BYTES, MAX_PHRASE_BYTES, MAX_VALUE_BYTES, MAX_VALUES_BYTES } from './limits.js';
export type { EventEnvelope, EventOf, EventScope, RunEvent, StampedEvent, UnknownEvent } from './envelope.js';
export type { Principal } from './principal.js';
export { addBilling, addTiming, NO_TIME, NO_TOKENS, withCall } from './projections/billing.js';
export { applyToRunView, beginRunView, timingAt, type RunView, type SandboxView } from './projections/run-view.js';
export {
  applyToStageViews,
  isBoundary,
  stageWallTimeAt,
  type StageStatus,
  type StageView,
} from './projections/stage-view.js';
export { shownSpec } from './shown-spec.js';
export { VIEW_VERSION } from './projections/view-version.js';
export {
  isTerminal,
  mayMove,
  RUN_STATUSES,
  saidStatus,
  STATUS_EVENTS,
  statusAfter,
  type KnownStatus,
  type RunStatus,
  type RunStatusKind,
} from './run-status.js';
export type {
  BranchResult,
  CommandTermination,
  ExecOutputTail,
  FailureCategory,
  FailureDetail,
  KeptMark,
  KeptMarks,
  ModelReference,
  OutcomeStatus,
  Question,
  QuestionAnswer,
  QuestionOption,
  QuestionType,
  ReviewTarget,
  RunFailure,
  RunFailureReason,
  RunSpec,
  Timing,
  TokenBilling,
} from './shapes.js';
