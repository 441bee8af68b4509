import { SCRIPT_TOKEN_UNKNOWN } from '../../templates/scripts/doubtful-words.js';
import { recorded } from '../checks/recorded.js';

/** Something in the braces of a script that is no token: it reaches the shell as it is written. */
export const scriptTokenUnknown = recorded(SCRIPT_TOKEN_UNKNOWN, 'warning');
