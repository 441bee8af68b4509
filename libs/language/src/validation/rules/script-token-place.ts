import { SCRIPT_TOKEN_PLACE } from '../../templates/scripts/unknown-place.js';
import { recorded } from '../checks/recorded.js';

/** A token in a script where no way of quoting its value is known to be right: the value could become code. */
export const scriptTokenPlace = recorded(SCRIPT_TOKEN_PLACE, 'error');
