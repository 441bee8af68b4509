import { SCRIPT_LANGUAGES } from '../../graph/node-values.js';
import { type Rule } from '../rule.js';
import { checkChoice } from '../checks/choice.js';

export const languageValid: Rule = {
  id: 'language_valid',
  severity: 'error',
  check: (workflow) => checkChoice(workflow, 'language', SCRIPT_LANGUAGES, 'its script could not run'),
};
