import type { ServerDefaults } from './run-settings.js';
import type { WorkflowSettings } from './dto/settings/workflow-settings.js';

/**
 * What settings ask for that this server does not do: a run that would be made without it is not made. What only models
 * use (fallbacks, tools) is refused with the nodes that use it.
 */
export function unsupportedSettings(
  { run }: WorkflowSettings,
  { hooksReach }: Pick<ServerDefaults, 'hooksReach'>,
): string[] {
  // Where commands work on the host itself, that is where a hook beside the sandbox works too.
  const worksOnHost = run.environment.provider === 'local';
  const asked: Readonly<Record<string, boolean>> = {
    'run.working_dir': run.working_dir !== null,
    'run.prepare.steps': run.prepare.steps.length > 0,
    'run.hooks with a prompt': run.hooks.some(({ prompt }) => prompt !== null && prompt !== undefined),
    'run.hooks with sandbox = false': run.hooks.some(({ sandbox }) => sandbox === false) && !worksOnHost,
    'run.hooks with tls = "off"': run.hooks.some(({ tls }) => tls === 'off') && hooksReach === 'public',
    'run.agent.mcps': Object.keys(run.agent.mcps).length > 0,
    'run.clone.enabled': run.clone.enabled,
    'run.run_branch.enabled': run.run_branch.enabled,
    'run.meta_branch.enabled': run.meta_branch.enabled,
    'run.notifications': Object.values(run.notifications).some(({ enabled }) => enabled),
    'run.interviews.provider': run.interviews.provider !== null,
    'run.pull_request.enabled': run.pull_request !== null,
    'run.artifacts.include': run.artifacts.include.length > 0,
    'run.integrations.hosted_git.permissions': Object.keys(run.integrations.hosted_git.permissions).length > 0,
  };
  return Object.keys(asked)
    .filter((key) => asked[key])
    .map(
      (key) => `The settings ask for ${key}, which this server does not do. Remove it from the configuration files.`,
    );
}
