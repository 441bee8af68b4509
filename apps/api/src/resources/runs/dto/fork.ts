import { type Json } from '#libs/kernel';
import { Flag, ListOf, MapOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { MAX_INPUTS } from '../../manifests/manifest-limits.js';
import { ShapeRule } from '../../../edge/schema/rule.js';
import { anything, textKind } from '../../../edge/schema/values.js';

/** What a fork does differently from the run it is made from. Everything that is absent stays as it was. */
export class ForkEdits {
  @Text({ optional: true, doc: 'Replaces the goal.' }) goal?: string;
  @MapOf(textKind(), { max: MAX_INPUTS, optional: true, doc: 'Inputs by name; others keep their values.' })
  inputs?: Record<string, string>;
  @MapOf(anything(), { optional: true, doc: 'Context values that later stages see.' })
  context?: Record<string, Json>;
  @Text({ optional: true, min: 1, doc: 'The default model.' }) model?: string;
  @Text({ optional: true, min: 1, doc: 'The source of the workflow.' }) workflow_source?: string;
  @Flag({ optional: true, doc: 'Whether questions are answered by themselves, with the first positive option.' })
  auto_approve?: boolean;
}

const TARGET = /^(?:@[1-9]\d*|[^@\s]+(?:@[1-9]\d*)?)$/;

@ShapeRule<ForkRequest>(['target'], 'target', ({ target }) =>
  typeof target === 'string' && !TARGET.test(target)
    ? 'must be "@N" (the N-th checkpoint), "node" (its latest visit) or "node@visit"'
    : undefined,
)
export class ForkRequest {
  @Text({ nullable: true, optional: true, doc: '"@N", "node" or "node@visit"; the latest checkpoint when absent.' })
  target?: string | null;
  @Nested(ForkEdits, { optional: true }) edits?: ForkEdits;
}

export class RewindRequest {
  @Text({ nullable: true, optional: true, doc: '"@N", "node" or "node@visit"; the latest checkpoint when absent.' })
  target?: string | null;
}

/** A fork that is not started yet, with what of the source's work it keeps and what it leaves behind. */
export class ForkResponse {
  @Text() source_run_id!: string;
  @Text() new_run_id!: string;
  @Text({ doc: 'The checkpoint, as "@N".' }) target!: string;
  @Text({ doc: 'The node it goes on with.' }) next_node_id!: string;
  @ListOf(textKind(), { doc: 'Stages whose results it keeps.' }) kept_stages!: string[];
  @ListOf(textKind(), { doc: 'Stages of the source that it does not have.' }) dropped_stages!: string[];
}

export class RewindResponse {
  @Text() source_run_id!: string;
  @Text() new_run_id!: string;
  @Text() target!: string;
  @Flag() archived!: boolean;
  @Text({ nullable: true, optional: true }) archive_error?: string | null;
}
