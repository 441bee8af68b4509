import { OneOf, Flag, ListOf, MapOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { ShapeRule } from '../../../edge/schema/rule.js';
import { textKind } from '../../../edge/schema/values.js';
import { MAX_FILES, MAX_INPUTS, MAX_LABELS } from '../manifest-limits.js';
import { canonicalPathProblem, inputProblem, MAX_PATH_BYTES } from '../manifest-rules.js';

export class ManifestGoal {
  @OneOf(['value', 'file', 'graph']) type!: 'value' | 'file' | 'graph';
  @Text() text!: string;
  @Text({ optional: true, nullable: true }) path?: string | null;
}

/** What was said on the command line; it wins over every configuration. */
export class ManifestArgs {
  @Text({ optional: true }) model?: string;
  @Text({ optional: true }) provider?: string;
  @Text({ optional: true, doc: 'Slug of an environment.' }) environment?: string;
  @Flag({ optional: true }) verbose?: boolean;
  @Flag({ optional: true }) dry_run?: boolean;
  @Flag({ optional: true }) auto_approve?: boolean;
  @Flag({ optional: true }) preserve_sandbox?: boolean;
  @ListOf(textKind(), { max: MAX_LABELS, optional: true, doc: 'KEY=VALUE; entries without "=" are ignored.' })
  label?: string[];
  @ListOf(textKind({ check: inputProblem }), { max: MAX_INPUTS, optional: true, doc: 'KEY=VALUE' }) input?: string[];
}

export class ManifestTarget {
  @Text({ doc: 'What the user typed.' }) identifier!: string;
  @Text({ maxBytes: MAX_PATH_BYTES, check: canonicalPathProblem, doc: 'A key of `workflows`.' }) path!: string;
}

@ShapeRule(['type', 'path'], 'path', ({ type, path }: ManifestConfig) =>
  type === 'project' && !path ? 'is missing; a project configuration needs the path of its file' : undefined,
)
export class ManifestConfig {
  @OneOf(['project', 'user']) type!: 'project' | 'user';
  @Text({ optional: true, nullable: true }) path?: string | null;
  @Text({ optional: true, nullable: true }) source?: string | null;
}

export class ManifestWorkflowConfig {
  @Text() path!: string;
  @Text() source!: string;
}

export class ManifestFileRef {
  @OneOf(['file_inline', 'import', 'dockerfile']) type!: 'file_inline' | 'import' | 'dockerfile';
  @Text() original!: string;
  @Text({ optional: true, nullable: true }) from?: string | null;
}

export class ManifestFileEntry {
  @Text() content!: string;
  @Nested(ManifestFileRef) ref!: ManifestFileRef;
}

export class ManifestWorkflow {
  @Text() source!: string;
  @Nested(ManifestWorkflowConfig, { optional: true }) config?: ManifestWorkflowConfig;
  @MapOf(ManifestFileEntry, { max: MAX_FILES, optional: true }) files?: Record<string, ManifestFileEntry>;
}
