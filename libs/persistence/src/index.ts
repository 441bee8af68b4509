export { Database, type DatabaseOptions } from './database.js';
export { DatabaseUnavailableError, DefinitionMissingError, LogUnreadableError, SchemaMismatchError } from './errors.js';
export { hasOneTenant } from './figures/one-tenant.js';
export { StoredRuns, type StoredRunFilter, type StoredRunPage, type StoredRunRow } from './figures/stored-runs.js';
export { readSystemFigures, STUCK_AFTER_S, type SystemFigures } from './figures/system-figures.js';
export { unreadableRuns, type UnreadableRun } from './figures/unreadable-runs.js';
export { AccessTokens, type TokenHolder, type TokenRole } from './resources/access-tokens.js';
export type { Idempotency, NewRun } from './runs/create-runs.js';
export { RecentEvents } from './log/recent-events.js';
export { RunIdTakenError, RunLedger } from './runs/run-ledger.js';
export type { StoredRun } from './runs/run-records.js';
export { applyMigrations, migrationNames } from './migrations/apply-migrations.js';
export { missingMigrations } from './migrations/missing-migrations.js';
export { ColdLogs } from './log/cold-logs.js';
export { LogRetention } from './retention/log-retention.js';
export {
  encodeDefinition,
  encodeLargeDefinition,
  parseDefinition,
  type EncodedDefinition,
} from './runs/definitions.js';
export { CommitSignals, type GrownLog } from './log/commit-signals.js';
export type { LockedHead } from './log/locked-heads.js';
export type { Flush } from './log/append-queue.js';
export { isStandby, unsafeSettings } from './durability.js';
export { ClockFollower } from './slots/clock-follower.js';
export { PgRunStore } from './runs/pg-run-store.js';
export type { LostTail } from './log/lost-tail.js';
export { LOCK_SLOTS } from './slots/promote.js';
export { PgElection } from './upkeep/pg-election.js';
export { findEnded, type EndedRun } from './upkeep/ended-runs.js';
export { removeUnusedDefinitions } from './upkeep/unused-definitions.js';
export { forgetOldIdempotencyKeys } from './upkeep/idempotency-keys.js';
export { NewerEngines } from './slots/newer-engines.js';
export { dropEmptyPartitions, ensurePartitionsAhead } from './upkeep/partitions.js';
export { Slots, type DueRun, type UnclaimedRun } from './slots/slots.js';
export { ViewCheck } from './upkeep/view-check.js';
export { ViewRenewal } from './upkeep/view-renewal.js';
export { Reaper, WorkerPresence, type PresenceOptions } from './upkeep/worker-presence.js';
export type { BoardColumn } from './views/board.js';
export { differences } from './views/differences.js';
export { SORTED, type ListPlace, type RunListing, type RunOrder } from './views/list-statement.js';
export { type NamedWorkflow, RunReader, type ShownRun } from './views/run-reader.js';
export { RunViews } from './views/run-views.js';
