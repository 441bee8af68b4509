import { unknownModel } from '../checks/unknown-model.js';
import { type Rule } from '../rule.js';

export const stylesheetModelKnown: Rule = {
  id: 'stylesheet_model_known',
  severity: 'warning',
  *check({ draft, models }) {
    if (!models) return;
    for (const { key, literal } of draft.styles) {
      const problem = key === 'model' || key === 'provider' ? unknownModel(models, key, literal.text) : undefined;
      if (problem !== undefined) yield { message: `The style sheet ${problem}`, span: literal.span };
    }
  },
};
