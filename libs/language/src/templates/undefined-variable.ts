import { type Finding } from '../diagnostics/finding.js';
import { type Span } from '../source/source-text.js';
import { type TemplateScope } from './template-scope.js';

/** The rule that reports a name that nothing defines. */
export const TEMPLATE_UNDEFINED_VARIABLE = 'template_undefined_variable';

/** Why secrets and the environment are never rendered into a text, and what to do instead. */
const HIDDEN =
  "Templates see neither secrets nor variables of the environment: name it in the environment's env table, and read it at run time.";

/** What is said about a name that nothing defines, where it is used in `what`. */
export function undefinedVariable(name: string, what: string, span: Span, scope?: TemplateScope): Finding {
  const message = `Undefined variable "${name}" in ${what}.`;
  return { message, span, fix: fixFor(name, scope), severity: scope?.undefinedIs ?? 'warning' };
}

function fixFor(name: string, scope?: TemplateScope): string {
  const [root = '', member] = name.split('.');
  if (root === 'inputs' && member !== undefined) {
    return `Give it with -I ${member}=…, or give it a default in [run.inputs].`;
  }
  if (root === 'vars' && member !== undefined) return `Define the variable ${member} on the server.`;
  if (root === 'secrets' || root === 'env') return HIDDEN;
  if (scope && Object.hasOwn(scope.inputs, root)) return `Write inputs.${root}.`;
  if (scope && Object.hasOwn(scope.vars, root)) return `Write vars.${root}.`;
  return 'Templates may name goal, inputs.NAME and vars.NAME.';
}
