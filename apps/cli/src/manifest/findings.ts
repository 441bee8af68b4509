import path from 'node:path';
import { type Diagnostic, formatDiagnostic, isError, type Severity } from '#libs/language';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import { plainText } from '../terminal/format.js';
import type { AuthoredWorkflow } from './authored-workflow.js';

/** A diagnostic as a person and as a program see it from the directory they are in. */
export interface AuthoringFinding {
  severity: Severity;
  /** `file:line:column severity rule message`, the line and carets under the place. */
  text: string;
  /** Paths are relative to that directory. */
  diagnostic: Diagnostic;
}

export function findingsOf(
  { workspace, path: main, bundle, diagnostics }: AuthoredWorkflow,
  cwd: string,
): AuthoringFinding[] {
  const texts = bundle.texts();
  const seen = (canonical = main): string => path.relative(cwd, workspace.absolute(canonical));
  return bySeverity(diagnostics).map((diagnostic) => {
    const { severity, related } = diagnostic;
    const file = seen(diagnostic.path);
    const text = plainText(`${file}:${formatDiagnostic(texts.get(diagnostic.path ?? main) ?? '', diagnostic)}`);
    const others = related?.map((other) => ({ ...other, path: seen(other.path) }));
    return { severity, text, diagnostic: { ...diagnostic, path: file, ...(others && { related: others }) } };
  });
}

/** What has to be mended stands before what follows from it. */
function bySeverity(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const order: readonly Severity[] = ['error', 'warning', 'info'];
  return diagnostics.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

/** What a command ends with because of them: a file without text has ended it before. */
export function exitCodeOf(diagnostics: readonly Diagnostic[], { strict = false } = {}): ExitCode {
  const faults = diagnostics.filter((found) => isError(found) || (strict && found.severity === 'warning'));
  return faults.length === 0 ? exitCodes.done : exitCodes.failed;
}
