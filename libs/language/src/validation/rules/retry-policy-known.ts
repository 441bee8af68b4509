import { RETRY_POLICIES } from '../../graph/node-values.js';
import { type Rule } from '../rule.js';
import { checkChoice } from '../checks/choice.js';

export const retryPolicyKnown: Rule = {
  id: 'retry_policy_known',
  severity: 'warning',
  check: (workflow) => checkChoice(workflow, 'retry_policy', RETRY_POLICIES, 'max_retries decides instead'),
};
