import { OneOf, Flag, Integer, ListOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { textKind } from '../../../edge/schema/values.js';

export const SANDBOX_PROVIDERS = ['local', 'docker', 'cloud'] as const;
export type SandboxProviderKind = (typeof SANDBOX_PROVIDERS)[number];

/** The provider of a sandbox, under its name in the document. */
export const SandboxProviderName = () => OneOf(SANDBOX_PROVIDERS, { name: 'SandboxProviderKind' });

export class RunSandboxPlan {
  @SandboxProviderName() provider!: SandboxProviderKind;
  @Text({ optional: true, nullable: true }) image?: string | null;
  @Text({ optional: true, nullable: true }) snapshot?: string | null;
}

export class RunSandboxRuntime {
  @Text() id!: string;
  @Text() working_directory!: string;
  @Flag({ nullable: true }) repo_cloned!: boolean | null;
  @Text({ nullable: true }) clone_origin_url!: string | null;
  @Text({ nullable: true }) clone_branch!: string | null;
  @Text({ optional: true, nullable: true }) workspace_root?: string | null;
  @Text({ optional: true, nullable: true }) repos_root?: string | null;
  @Text({ optional: true, nullable: true }) primary_repo_path?: string | null;
  @Text({ optional: true, nullable: true }) primary_repo_link?: string | null;
}

export class RunSandboxInstance {
  @SandboxProviderName() provider!: SandboxProviderKind;
  @Text({ optional: true, nullable: true }) image?: string | null;
  @Text({ optional: true, nullable: true }) snapshot?: string | null;
  @Nested(RunSandboxRuntime) runtime!: RunSandboxRuntime;
}

export class RunSandboxFailure {
  @Text() provider!: string;
  @Text() error!: string;
  @ListOf(textKind()) causes!: string[];
  @Integer({ min: 0, format: 'uint64' }) duration_ms!: number;
}

export class RunSandbox {
  @OneOf(['planned', 'initializing', 'ready', 'failed'], { name: 'RunSandboxKind' }) kind!:
    'planned' | 'initializing' | 'ready' | 'failed';
  @Nested(RunSandboxPlan) plan!: RunSandboxPlan;
  @Nested(RunSandboxInstance, { optional: true, nullable: true, doc: 'Present when kind is ready.' })
  instance?: RunSandboxInstance | null;
  @Nested(RunSandboxFailure, { optional: true, nullable: true, doc: 'Present when kind is failed.' })
  failure?: RunSandboxFailure | null;
}
