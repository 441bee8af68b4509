export { RunBell, type RunHint } from './run-bell.js';
export { Upkeep, type Chore, type UpkeepLog } from './upkeep.js';
