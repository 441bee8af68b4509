export { HandlerTable } from './handlers/handler-table.js';
export { asksModel, isLimitedByWorker, needsSandbox } from './definition/node-kinds.js';
export { erroredBy, isDefect } from './handlers/thrown.js';
export type { StageTask } from './handlers/stage-handler.js';
export { EventNotices, type EventNotice, type TextDelta } from './ports/event-notices.js';
export type { HookWork } from './hooks/pending-hooks.js';
export { askHook, kindOfHook } from './hooks/ask-hook.js';
export type { HookReport } from './hooks/hook-call.js';
export type { Hook } from './definition/hook-list.js';
export type { HookPoint } from './definition/hook-point.js';
export { PROCEED, type HookDecision } from './hooks/hook-decision.js';
export { pointsAtEnd } from './hooks/points-at-end.js';
export { payloadOf } from './hooks/payload.js';
export { runHooks } from './hooks/run-hooks.js';
export { HttpCaller, type HttpAnswer, type HttpCall } from './ports/http-caller.js';
export { ObjectStore, type StoredObject } from './ports/object-store.js';
export {
  Sandbox,
  SandboxProvider,
  SandboxUnavailableError,
  type CommandEnd,
  type CommandObserver,
  type CommandOutput,
  type SandboxCommand,
  type SandboxInstance,
  type SandboxRequest,
  type SandboxRun,
} from './ports/sandbox.js';
export { contextEntry, wholeContext } from './state/context.js';
export { nodeAt } from './state/cursors.js';
export { objectionTo } from './human/check-answer.js';
export { isWithdrawal, openQuestions, type OpenQuestion } from './rules/questions.js';
export { RunDefinition } from './definition/run-definition.js';
export { missingVariables } from './definition/script-variables.js';
export { unsupportedBy } from './handlers/executable.js';
export { initialState, MAIN_CURSOR, type Cursor, type OpenStage, type RunState } from './state/state.js';
export { CANCELLED, endUnread } from './recovery/end-unread.js';
export { MAX_DEFECTS, POISON_EPOCHS, standingAfter, SUSPECT_EPOCHS } from './recovery/standing.js';
export { isBrief, restOf, wholeCheckpoint } from './fold/whole-event.js';
export { Walk, type Step } from './walk/walk.js';
export type { Moment, StageWork } from './rules/walk-context.js';
export type { AttemptResult, Outcome } from './stage/outcome.js';
export {
  LeaseLostError,
  RunStore,
  type Append,
  type Appended,
  type ClaimedRun,
  type Control,
  type DriveFault,
  type GivenUp,
  type Lease,
  type Release,
  type Released,
  type Renewed,
  type RunKey,
  type StoredState,
} from './ports/run-store.js';
export { allHandlers } from './handlers/all-handlers.js';
export {
  ModelClient,
  ModelError,
  type ModelAnswer,
  type ModelMessage,
  type ModelObserver,
  type ModelRequest,
} from './ports/model.js';
export { ENGINE_VERSION, STATE_VERSION } from './version.js';
export { tellsValues, type Briefing } from './preamble/briefing.js';
export { MAX_SHOWN_BYTES, shownBeginning } from './preamble/shown-value.js';
