import { type Rule } from '../rule.js';
import { exactlyOne } from '../checks/exactly-one.js';

export const terminalNode: Rule = {
  id: 'terminal_node',
  severity: 'error',
  check: (workflow) => exactlyOne(workflow, 'exit', 'shape=Msquare, or the id "exit" or "end"'),
};
