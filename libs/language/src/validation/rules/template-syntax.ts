import { TEMPLATE_SYNTAX } from '../../templates/prompt-renderer.js';
import { recorded } from '../checks/recorded.js';

/** A template that cannot be read, or that fails. */
export const templateSyntax = recorded(TEMPLATE_SYNTAX, 'error');
