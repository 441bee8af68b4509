import { SCRIPT_VARIABLE_UNQUOTED } from '../../templates/scripts/doubtful-words.js';
import { recorded } from '../checks/recorded.js';

/** A variable outside of quotes in `[` or `test`, of which a shell makes several words. */
export const scriptVariableUnquoted = recorded(SCRIPT_VARIABLE_UNQUOTED, 'warning');
