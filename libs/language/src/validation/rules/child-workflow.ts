import { CHILD_WORKFLOW } from '../../children/child-compiler.js';
import { recorded } from '../checks/recorded.js';

/** A child workflow that is not there, or that contains itself. What is wrong inside of it is reported as such. */
export const childWorkflow = recorded(CHILD_WORKFLOW, 'error');
