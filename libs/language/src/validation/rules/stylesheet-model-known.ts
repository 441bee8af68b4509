import { unknownModels } from '../checks/unknown-models.js';
import { type Rule } from '../rule.js';

export const stylesheetModelKnown: Rule = {
  id: 'stylesheet_model_known',
  severity: 'warning',
  *check(workflow) {
    for (const rule of workflow.draft.styles) {
      for (const { attribute, message, ...more } of unknownModels(workflow, rule)) {
        yield { message: `The style sheet ${message}`, span: rule.get(attribute)!.literal.span, ...more };
      }
    }
  },
};
