import { STYLESHEET_SYNTAX } from '../../stylesheet/apply-stylesheet.js';
import { recorded } from '../checks/recorded.js';

export const stylesheetSyntax = recorded(STYLESHEET_SYNTAX, 'error');
