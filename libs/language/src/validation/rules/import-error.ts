import { IMPORT_ERROR } from '../../imports/placeholder.js';
import { recorded } from '../checks/recorded.js';

/** An import that cannot take the place of its placeholder. */
export const importError = recorded(IMPORT_ERROR, 'error');
