export { RunBell, type RunHint } from './run-bell.js';
