import { RunyardError } from '#libs/kernel';
import type { Caller } from '../../edge/auth/caller.js';
import { isAtLeast, type Role } from '../../edge/operations/roles.js';
import type { WorkflowSettings } from '../manifests/dto/settings/workflow-settings.js';

class LocalSandboxForbiddenError extends RunyardError {
  override readonly code = 'local_sandbox_forbidden';
  readonly kind = 'forbidden';
}

/** Whether a run has commands executed on the server's own machine. */
export function isLocal({ run }: WorkflowSettings): boolean {
  return run.environment.provider === 'local' && run.execution.mode !== 'dry_run';
}

/**
 * Throws a `forbidden` error for a person whose role may not create `local` runs. Their commands share a user with the
 * server unless it has another one for them, so a person who writes them controls the server.
 */
export function requireLocalRole({ role }: Caller, least: Role): void {
  if (isAtLeast(role, least)) return;
  throw new LocalSandboxForbiddenError(
    `Commands of local environments work on the server's own machine and may read what it keeps, so they need the role ${least}; yours is ${role}. ` +
      'An administrator gives them a user of their own with sandbox.local.user in settings.toml, or lowers sandbox.local.least_role.',
  );
}

/** The same for a run: one that works on the server's machine gains nothing by a child there, and any other one would. */
export function requireLocalParent(provider: string): void {
  if (provider === 'local') return;
  throw new LocalSandboxForbiddenError(
    `A run whose commands work in a sandbox of the provider ${provider} can submit none that work on the server's own machine. ` +
      'Give the child the same environment, or have a person submit it.',
  );
}
