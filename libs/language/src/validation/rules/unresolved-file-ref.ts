import { UNRESOLVED } from '../../bundle/inline-files.js';
import { recorded } from '../checks/recorded.js';

/** A reference to a file that is not there; its text must not reach a model. */
export const unresolvedFileRef = recorded(UNRESOLVED, 'error');
