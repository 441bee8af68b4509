import { nearestName } from '#libs/kernel';
import { variableOfInput } from '#libs/language';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import type { AuthoredWorkflow } from './authored-workflow.js';

const DECLARE = 'One that only a program of yours reads is declared under [run.inputs] of workflow.toml.';

/**
 * Throws a {@link CliError} for a typed input that none of the workflows reads and none of their configurations declares:
 * it is misspelt, and the run would go on with something else.
 */
export function requireInputsRead(
  typed: readonly { key: string }[],
  workflows: readonly Pick<AuthoredWorkflow, 'inputs' | 'declaredInputs' | 'identifier'>[],
): void {
  if (workflows.some(({ inputs }) => inputs.readsAny)) return;
  const known = new Set(workflows.flatMap(({ inputs, declaredInputs }) => [...inputs.names, ...declaredInputs]));
  const variables = new Set(workflows.flatMap(({ inputs }) => [...inputs.variables]));
  const unread = typed.map(({ key }) => key).filter((key) => !known.has(key) && !variables.has(variableOfInput(key)));
  if (unread.length === 0) return;
  const names = workflows.map(({ identifier }) => identifier).join(', ');
  const sentences = unread.map((key) => {
    const nearest = nearestName(key, known);
    const question = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    return `-I ${key}: ${names} reads no input of that name.${question}`;
  });
  const all = known.size === 0 ? 'It reads no inputs.' : `Its inputs: ${[...known].sort().join(', ')}.`;
  throw new CliError(sentences.join('\n'), exitCodes.misuse, `${all}\n  ${DECLARE}`);
}
