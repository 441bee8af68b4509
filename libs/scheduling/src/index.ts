export { Election, type ElectionCalls } from './election.js';
export { RunBell, type RunHint } from './run-bell.js';
export { Upkeep, type Chore, type ChoreReport, type UpkeepLog } from './upkeep.js';
