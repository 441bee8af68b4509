import { TEMPLATE_UNDEFINED_VARIABLE } from '../../templates/undefined-variable.js';
import { recorded } from '../checks/recorded.js';

/** A name in a template or a script that nothing defines; it keeps a run from being made. */
export const templateUndefinedVariable = recorded(TEMPLATE_UNDEFINED_VARIABLE, 'warning');
