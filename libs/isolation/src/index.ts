export { NoPlaceError, OverBoundsError } from './errors.js';
export { IsolatedWork, type Limits } from './isolated-work.js';
export { type Program } from './program.js';
