import { SELECTIONS } from '../../graph/node-values.js';
import { type Rule } from '../rule.js';
import { checkChoice } from '../checks/choice.js';

export const selectionValid: Rule = {
  id: 'selection_valid',
  severity: 'warning',
  check: (workflow) => checkChoice(workflow, 'selection', SELECTIONS, 'it is taken as deterministic'),
};
