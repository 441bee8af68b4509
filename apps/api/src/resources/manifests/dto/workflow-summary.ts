import { Flag, Integer, ListOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { WorkflowDiagnostic } from './workflow-diagnostic.js';

/** What a workflow comes to. */
export class PreflightWorkflowSummary {
  @Text({ doc: 'Empty when the source does not get as far as a name.' }) name!: string;
  @Text({ optional: true, nullable: true, doc: 'The path of its source in the manifest.' }) graph_path?: string | null;
  @Integer({ doc: '0 for a workflow with errors.' }) nodes!: number;
  @Integer({ doc: '0 for a workflow with errors.' }) edges!: number;
  @Text({ doc: 'Rendered; for a workflow with errors the one that the manifest brings.' }) goal!: string;
  @ListOf(WorkflowDiagnostic, { doc: 'The first 1000, errors before warnings before hints.' })
  diagnostics!: WorkflowDiagnostic[];
  @Integer({ optional: true, doc: 'Diagnostics beyond those; absent when there are none.' })
  diagnostics_left_out?: number;
}

export class ValidateResponse {
  @Flag({ doc: 'Whether no diagnostic is an error.' }) ok!: boolean;
  @Nested(PreflightWorkflowSummary) workflow!: PreflightWorkflowSummary;
}
