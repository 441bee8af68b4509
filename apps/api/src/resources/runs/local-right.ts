import { RunyardError } from '#libs/kernel';
import type { Caller } from '../../edge/auth/caller.js';
import { isAtLeast, type Role } from '../../edge/operations/roles.js';
import type { WorkflowSettings } from '../manifests/dto/settings/workflow-settings.js';

class LocalSandboxRoleError extends RunyardError {
  override readonly code = 'local_sandbox_forbidden';
  readonly kind = 'forbidden';

  constructor(role: Role, least: Role) {
    super(
      `Commands of local environments work on the server's own machine and may read what it keeps, so they need the role ${least}; yours is ${role}. ` +
        'An administrator gives them a user of their own with sandbox.local.user in settings.toml, or lowers sandbox.local.least_role.',
    );
  }
}

/**
 * Throws a `forbidden` error for a person whose role may not create `local` runs. Their commands share a user with the
 * server unless it has another one for them, so a person who writes them controls the server. A run that submits another
 * one gains nothing: it works there already.
 */
export function requireLocalRight({ run }: WorkflowSettings, { role, principal }: Caller, least: Role): void {
  if (run.environment.provider !== 'local' || run.execution.mode === 'dry_run' || principal.kind === 'worker') return;
  if (!isAtLeast(role, least)) throw new LocalSandboxRoleError(role, least);
}
