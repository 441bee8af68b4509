import { GOAL_SELF_REFERENCE } from '../../templates/prompt-renderer.js';
import { recorded } from '../checks/recorded.js';

/** A goal whose template asks for the goal. */
export const goalSelfReference = recorded(GOAL_SELF_REFERENCE, 'error');
