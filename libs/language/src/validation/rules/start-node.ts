import { type Rule } from '../rule.js';
import { exactlyOne } from '../checks/exactly-one.js';

export const startNode: Rule = {
  id: 'start_node',
  severity: 'error',
  check: (workflow) => exactlyOne(workflow, 'start', 'shape=Mdiamond, or the id "start"'),
};
