import { union } from '../../../../edge/schema/composites.js';
import {
  OneOf,
  Flag,
  ListOf,
  MapOf,
  Nested,
  Numeric,
  Discriminator,
  Text,
} from '../../../../edge/schema/decorators.js';
import { Field } from '../../../../edge/schema/field.js';
import { textKind } from '../../../../edge/schema/values.js';
import { SANDBOX_PROVIDERS, type SandboxProviderKind } from '../run-sandbox.js';

class DockerfileSourceInline {
  @Discriminator('inline') type!: 'inline';
  @Text() value!: string;
}

class DockerfileSourcePath {
  @Discriminator('path') type!: 'path';
  @Text() path!: string;
}

export type DockerfileSource = DockerfileSourceInline | DockerfileSourcePath;

const dockerfileSource = union('DockerfileSource', 'type', {
  inline: DockerfileSourceInline,
  path: DockerfileSourcePath,
});

export class EnvironmentImageSettings {
  @Text({ nullable: true }) docker!: string | null;
  @Field(dockerfileSource, { nullable: true }) dockerfile!: DockerfileSource | null;
}

export class EnvironmentResourcesSettings {
  @Numeric({ nullable: true }) cpu!: number | null;
  @Text({ nullable: true }) memory!: string | null;
  @Text({ nullable: true }) disk!: string | null;
}

export const NETWORK_MODES = ['allow_all', 'block', 'cidr_allow_list'] as const;

export class EnvironmentNetworkSettings {
  @OneOf(NETWORK_MODES, { name: 'EnvironmentNetworkMode' }) mode!: (typeof NETWORK_MODES)[number];
  @ListOf(textKind()) allow!: string[];
}

export class EnvironmentLifecycleSettings {
  @Flag() preserve!: boolean;
  @Flag() stop_on_terminal!: boolean;
  @Text({ nullable: true }) auto_stop!: string | null;
}

/** Where the commands and agents of a run work. */
export class EnvironmentSettings {
  @OneOf(SANDBOX_PROVIDERS, { name: 'EnvironmentProvider' }) provider!: SandboxProviderKind;
  @Text({ optional: true, nullable: true }) cwd?: string | null;
  @Nested(EnvironmentImageSettings) image!: EnvironmentImageSettings;
  @Nested(EnvironmentResourcesSettings) resources!: EnvironmentResourcesSettings;
  @Nested(EnvironmentNetworkSettings) network!: EnvironmentNetworkSettings;
  @Nested(EnvironmentLifecycleSettings) lifecycle!: EnvironmentLifecycleSettings;
  @MapOf(textKind()) labels!: Record<string, string>;
  @MapOf(textKind()) env!: Record<string, string>;
}

export class RunEnvironmentSettings extends EnvironmentSettings {
  @Text() id!: string;
}
