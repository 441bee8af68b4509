import { union } from '../../../../edge/schema/composites.js';
import {
  OneOf,
  Flag,
  Integer,
  ListOf,
  MapOf,
  Nested,
  Discriminator,
  Text,
} from '../../../../edge/schema/decorators.js';
import { Field } from '../../../../edge/schema/field.js';
import { textKind } from '../../../../edge/schema/values.js';

export class RunModelControls {
  @Text({ nullable: true }) reasoning_effort!: string | null;
  @Text({ nullable: true }) speed!: string | null;
}

export class RunModelSettings {
  @Text({ nullable: true }) provider!: string | null;
  @Text({ nullable: true }) name!: string | null;
  @ListOf(textKind(), { doc: '<provider>:<model>, tried in this order.' }) fallbacks!: string[];
  @Nested(RunModelControls, { optional: true }) controls?: RunModelControls;
}

class PreparedScriptStep {
  @Discriminator('script') type!: 'script';
  @Text() script!: string;
  @MapOf(textKind(), { optional: true }) env?: Record<string, string>;
}

class PreparedCommandStep {
  @Discriminator('command') type!: 'command';
  @ListOf(textKind()) command!: string[];
  @MapOf(textKind(), { optional: true }) env?: Record<string, string>;
}

export type PreparedStep = PreparedScriptStep | PreparedCommandStep;

const preparedStep = union('PreparedStep', 'type', { script: PreparedScriptStep, command: PreparedCommandStep });

export class RunPrepareSettings {
  @ListOf(preparedStep) steps!: PreparedStep[];
  @Integer({ format: 'int64' }) timeout_ms!: number;
}

export class RunExecutionSettings {
  @OneOf(['normal', 'dry_run'], { name: 'RunMode' }) mode!: 'normal' | 'dry_run';
  @OneOf(['prompt', 'auto'], { name: 'ApprovalMode' }) approval!: 'prompt' | 'auto';
}

export class RunCheckpointSettings {
  @ListOf(textKind()) exclude_globs!: string[];
  @Flag({ default: false }) skip_git_hooks!: boolean;
}

class RunGoalInline {
  @Discriminator('inline') type!: 'inline';
  @Text() value!: string;
}

class RunGoalFile {
  @Discriminator('file') type!: 'file';
  @Text() value!: string;
}

export type RunGoal = RunGoalInline | RunGoalFile;

const runGoal = union('RunGoal', 'type', { inline: RunGoalInline, file: RunGoalFile });

/** A goal that is not set is null. */
export const Goal = () => Field(runGoal, { nullable: true });
