import { compileCondition } from '../../conditions/compile-condition.js';
import { ConditionSyntaxError } from '../../conditions/condition-syntax-error.js';
import { type Condition } from '../../conditions/condition.js';

/** A condition as it is read; undefined where it cannot be, which is a finding of `condition_syntax`. */
export function compiledCondition(text: string): Condition | undefined {
  try {
    return compileCondition(text);
  } catch (thrown) {
    if (thrown instanceof ConditionSyntaxError) return undefined;
    throw thrown;
  }
}
