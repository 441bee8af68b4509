import { OneOf, Integer, ListOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { listOf } from '../../../edge/schema/composites.js';
import { Field } from '../../../edge/schema/field.js';
import { textKind } from '../../../edge/schema/values.js';

export const SEVERITIES = ['error', 'warning', 'info'] as const;

export class SourcePosition {
  @Integer({ min: 1, doc: 'From 1.' }) line!: number;
  @Integer({ min: 1, doc: 'From 1, in UTF-16 code units.' }) column!: number;
  @Integer({ min: 0, doc: 'From the beginning of the text, in UTF-16 code units.' }) offset!: number;
}

/** Half-open: the end is the first position behind it. */
export class SourceRange {
  @Nested(SourcePosition) start!: SourcePosition;
  @Nested(SourcePosition) end!: SourcePosition;
}

/** Another place that has to do with a diagnostic. */
export class RelatedWorkflowDiagnostic {
  @Text() message!: string;
  @Text({ optional: true, nullable: true }) source_path?: string | null;
  @Integer({ format: 'int32', optional: true, nullable: true }) line?: number | null;
  @Integer({ format: 'int32', optional: true, nullable: true }) column?: number | null;
}

/** One finding about a workflow. An error keeps it from running. */
export class WorkflowDiagnostic {
  @Text({ doc: 'Stable name of the rule that found it.' }) rule!: string;
  @OneOf(SEVERITIES, { name: 'WorkflowDiagnosticSeverity' }) severity!: (typeof SEVERITIES)[number];
  @Text() message!: string;
  @Text({ optional: true, nullable: true }) node_id?: string | null;
  @Field(listOf(textKind(), { min: 2, max: 2 }), {
    optional: true,
    nullable: true,
    doc: 'The nodes it leads from and to.',
  })
  edge?: [string, string] | null;
  @Text({ optional: true, nullable: true, doc: 'What to do about it.' }) fix?: string | null;
  @Text({ optional: true, nullable: true, doc: 'The file it is about, as a path in the manifest.' })
  source_path?: string | null;
  @Integer({ format: 'int32', optional: true, nullable: true }) line?: number | null;
  @Integer({ format: 'int32', optional: true, nullable: true }) column?: number | null;
  @Integer({ format: 'int64', optional: true, nullable: true, doc: 'Offset of the range.' }) span_start?: number | null;
  @Integer({ format: 'int64', optional: true, nullable: true, doc: 'Length of the range.' }) span_len?: number | null;
  @Nested(SourceRange, { optional: true, nullable: true }) range?: SourceRange | null;
  @ListOf(RelatedWorkflowDiagnostic, { optional: true }) related?: RelatedWorkflowDiagnostic[];
}
