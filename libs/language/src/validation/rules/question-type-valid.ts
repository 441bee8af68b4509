import { QUESTION_TYPES } from '../../graph/node-values.js';
import { type Rule } from '../rule.js';
import { checkChoice } from '../checks/choice.js';

export const questionTypeValid: Rule = {
  id: 'question_type_valid',
  severity: 'error',
  check: (workflow) => checkChoice(workflow, 'question_type', QUESTION_TYPES, 'the question could not be asked'),
};
