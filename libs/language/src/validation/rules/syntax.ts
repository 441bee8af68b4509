import { recorded } from '../checks/recorded.js';

/** Syntax errors of imported files; a source with syntax errors of its own never comes as far as the rules. */
export const syntax = recorded('syntax', 'error');
