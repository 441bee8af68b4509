import { ErrorResponseEntry } from '../../../edge/envelope/error-response.js';
import { listOf } from '../../../edge/schema/composites.js';
import { Closed } from '../../../edge/schema/closed.js';
import { OneOf, Flag, Integer, ListOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { Field } from '../../../edge/schema/field.js';
import { ShapeRule } from '../../../edge/schema/rule.js';
import { textKind } from '../../../edge/schema/values.js';
import { repeatedIdProblem, runIdProblem } from '../../manifests/manifest-rules.js';
import { DeleteRunSandbox } from './run-commands.js';
import { RunResponse } from './run-response.js';

const MAX_RUNS = 250;
const runIds = listOf(textKind({ check: runIdProblem }), { min: 1, max: MAX_RUNS, unique: true });

@Closed()
@ShapeRule(['run_ids'], 'run_ids', repeatedIdProblem)
export class BatchRunLifecycleRequest {
  @Field(runIds) run_ids!: string[];
}

const ARCHIVE_OUTCOMES = [
  'archived',
  'already_archived',
  'unarchived',
  'not_archived',
  'not_found',
  'conflict',
  'error',
] as const;

export class BatchRunLifecycleResult {
  @Text() run_id!: string;
  @Flag({ doc: 'Whether the run is as it was asked to be.' }) ok!: boolean;
  @OneOf(ARCHIVE_OUTCOMES) outcome!: (typeof ARCHIVE_OUTCOMES)[number];
  @Nested(RunResponse, { optional: true, doc: 'The run as it is now; absent where it was refused.' }) run?: RunResponse;
  @Nested(ErrorResponseEntry, { optional: true, doc: 'Why it was refused.' }) error?: ErrorResponseEntry;
}

export class BatchRunLifecycleSummary {
  @Integer({ min: 0 }) requested!: number;
  @Integer({ min: 0 }) succeeded!: number;
  @Integer({ min: 0 }) failed!: number;
}

export class BatchRunLifecycleResponse {
  @ListOf(BatchRunLifecycleResult, { doc: 'In the order of the request.' }) results!: BatchRunLifecycleResult[];
  @Nested(BatchRunLifecycleSummary) summary!: BatchRunLifecycleSummary;
}

@Closed()
@ShapeRule(['run_ids'], 'run_ids', repeatedIdProblem)
export class BatchDeleteRunsRequest {
  @Field(runIds) run_ids!: string[];
  @Flag({ optional: true, default: false, doc: 'Also those that are active.' }) force = false;
}

const DELETE_OUTCOMES = ['deleted', 'already_absent', 'sandbox_preserved', 'conflict', 'error'] as const;

export class BatchDeleteRunsResult {
  @Text() run_id!: string;
  @Flag({ doc: 'Whether the run is gone.' }) ok!: boolean;
  @OneOf(DELETE_OUTCOMES) outcome!: (typeof DELETE_OUTCOMES)[number];
  @Nested(DeleteRunSandbox, { optional: true, doc: 'The sandbox that was left behind.' }) sandbox?: DeleteRunSandbox;
  @Nested(ErrorResponseEntry, { optional: true, doc: 'Why the run is still there.' }) error?: ErrorResponseEntry;
}

export class BatchDeleteRunsSummary extends BatchRunLifecycleSummary {}

export class BatchDeleteRunsResponse {
  @ListOf(BatchDeleteRunsResult, { doc: 'In the order of the request.' }) results!: BatchDeleteRunsResult[];
  @Nested(BatchDeleteRunsSummary) summary!: BatchDeleteRunsSummary;
}
