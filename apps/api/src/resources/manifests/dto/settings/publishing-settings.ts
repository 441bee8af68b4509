import { listOf } from '../../../../edge/schema/composites.js';
import { OneOf, Flag, Integer, ListOf, MapOf, Nested, Text } from '../../../../edge/schema/decorators.js';
import { Field } from '../../../../edge/schema/field.js';
import { anything, textKind } from '../../../../edge/schema/values.js';

export class GitAuthorSettings {
  @Text({ nullable: true }) name!: string | null;
  @Text({ nullable: true }) email!: string | null;
}

export class RunGitSettings {
  @Nested(GitAuthorSettings, { nullable: true }) author!: GitAuthorSettings | null;
}

export class RunCloneSettings {
  @Flag() enabled!: boolean;
  @Integer({ min: 0, format: 'int32', optional: true, default: 100 }) depth?: number;
}

export class RunBranchSettings {
  @Flag() enabled!: boolean;
  @Flag() push!: boolean;
}

export class RunMetaBranchSettings extends RunBranchSettings {}

export class RunScmSettings {
  @Text({ nullable: true }) provider!: string | null;
  @Text({ nullable: true }) owner!: string | null;
  @Text({ nullable: true }) repository!: string | null;
  @MapOf(anything(), { nullable: true }) hosted_git!: Record<string, unknown> | null;
}

export class PullRequestSettings {
  @Flag() enabled!: boolean;
  @Flag() draft!: boolean;
  @Flag() auto_merge!: boolean;
  @OneOf(['merge', 'squash', 'rebase'], { name: 'MergeMethod' }) merge_strategy!: 'merge' | 'squash' | 'rebase';
}

export class ArtifactsSettings {
  @ListOf(textKind()) include!: string[];
}

export class RunIntegrationsHostedGitSettings {
  @MapOf(textKind()) permissions!: Record<string, string>;
  @Field(listOf(textKind(), { unique: true }), { optional: true }) additional_repositories?: string[];
}

export class RunIntegrationsSettings {
  @Nested(RunIntegrationsHostedGitSettings) hosted_git!: RunIntegrationsHostedGitSettings;
}

export class ChannelSettings {
  @Text({ nullable: true }) channel!: string | null;
}

export class NotificationRouteSettings {
  @Flag() enabled!: boolean;
  @Text({ nullable: true }) provider!: string | null;
  @ListOf(textKind()) events!: string[];
  @Nested(ChannelSettings, { nullable: true }) chat!: ChannelSettings | null;
}

export class RunInterviewsSettings {
  @Text({ nullable: true }) provider!: string | null;
  @Nested(ChannelSettings, { nullable: true }) chat!: ChannelSettings | null;
}
