import { type Json } from '#libs/kernel';
import { ListOf, MapOf, Nested, Text } from '../../../../edge/schema/decorators.js';
import { anything, textKind } from '../../../../edge/schema/values.js';
import { RunAgentSettings } from './agent-settings.js';
import { EnvironmentSettings, RunEnvironmentSettings } from './environment-settings.js';
import {
  Goal,
  RunCheckpointSettings,
  RunExecutionSettings,
  type RunGoal,
  RunModelSettings,
  RunPrepareSettings,
} from './execution-settings.js';
import { HookDefinition } from './hook-settings.js';
import {
  ArtifactsSettings,
  NotificationRouteSettings,
  PullRequestSettings,
  RunBranchSettings,
  RunCloneSettings,
  RunGitSettings,
  RunIntegrationsSettings,
  RunInterviewsSettings,
  RunMetaBranchSettings,
  RunScmSettings,
} from './publishing-settings.js';

export class ProjectNamespace {
  @Text({ nullable: true }) name!: string | null;
  @Text({ nullable: true }) description!: string | null;
  @MapOf(textKind()) metadata!: Record<string, string>;
}

export class WorkflowNamespace extends ProjectNamespace {
  @Text() graph!: string;
}

export class RunNamespace {
  @Goal() goal!: RunGoal | null;
  @Text({ nullable: true }) working_dir!: string | null;
  @MapOf(textKind()) metadata!: Record<string, string>;
  @MapOf(anything()) inputs!: Record<string, Json>;
  @Nested(RunModelSettings) model!: RunModelSettings;
  @Nested(RunGitSettings) git!: RunGitSettings;
  @Nested(RunPrepareSettings) prepare!: RunPrepareSettings;
  @Nested(RunExecutionSettings) execution!: RunExecutionSettings;
  @Nested(RunCheckpointSettings) checkpoint!: RunCheckpointSettings;
  @Nested(RunCloneSettings) clone!: RunCloneSettings;
  @Nested(RunBranchSettings) run_branch!: RunBranchSettings;
  @Nested(RunMetaBranchSettings) meta_branch!: RunMetaBranchSettings;
  @Nested(RunEnvironmentSettings) environment!: RunEnvironmentSettings;
  @MapOf(NotificationRouteSettings) notifications!: Record<string, NotificationRouteSettings>;
  @Nested(RunInterviewsSettings) interviews!: RunInterviewsSettings;
  @Nested(RunAgentSettings) agent!: RunAgentSettings;
  @ListOf(HookDefinition) hooks!: HookDefinition[];
  @Nested(RunScmSettings) scm!: RunScmSettings;
  @Nested(PullRequestSettings, { nullable: true }) pull_request!: PullRequestSettings | null;
  @Nested(ArtifactsSettings) artifacts!: ArtifactsSettings;
  @Nested(RunIntegrationsSettings) integrations!: RunIntegrationsSettings;
}

/** Every setting of a run as it was when the run was created, secrets masked. */
export class WorkflowSettings {
  @Nested(ProjectNamespace) project!: ProjectNamespace;
  @Nested(WorkflowNamespace) workflow!: WorkflowNamespace;
  @MapOf(EnvironmentSettings) environments!: Record<string, EnvironmentSettings>;
  @Nested(RunNamespace) run!: RunNamespace;
}
