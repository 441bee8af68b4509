import { compile, type Diagnostic, formatDiagnostic, isError } from '#libs/language';
import { exitCodes, type ExitCode } from '../server/exit-code.js';

/** What is wrong with a workflow, and the code a command ends with because of it. */
export interface Verdict {
  diagnostics: Diagnostic[];
  exitCode: ExitCode;
}

/** Findings about files that travel with a manifest: whether they can be resolved is the server's to say. */
const OF_BUNDLED_FILES = ['unresolved_file_ref', 'import_error'];

/** Checks a source as the server will, without one. */
export function checkWorkflow(source: string, goal?: string): Verdict {
  return verdictOn(compile(source, goal === undefined ? {} : { goal }).diagnostics);
}

/** The same for a source whose files travel with it. */
export function checkBundled(source: string, goal?: string): Verdict {
  const { diagnostics } = checkWorkflow(source, goal);
  return verdictOn(diagnostics.filter(({ rule }) => !OF_BUNDLED_FILES.includes(rule)));
}

/** `file:line:column severity rule message`, the line and carets under the place. */
export function diagnosticText(file: string, source: string, diagnostic: Diagnostic): string {
  return `${file}:${formatDiagnostic(source, diagnostic)}`;
}

/** A source that cannot be read at all is a failure; one that breaks rules is wrong use. */
function verdictOn(diagnostics: Diagnostic[]): Verdict {
  const errors = diagnostics.filter(isError);
  if (errors.length === 0) return { diagnostics, exitCode: exitCodes.done };
  const unreadable = errors.some(({ rule }) => rule === 'syntax');
  return { diagnostics, exitCode: unreadable ? exitCodes.failed : exitCodes.misuse };
}
