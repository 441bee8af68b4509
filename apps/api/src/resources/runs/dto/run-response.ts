import { ApiSchema } from '@nestjs/swagger';
import { OneOf, Integer, ListOf, MapOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { Field } from '../../../edge/schema/field.js';
import { textKind } from '../../../edge/schema/values.js';
import { type Principal, principal } from '../../../edge/auth/principal.js';
import { RunLifecycle } from './run-lifecycle.js';
import {
  AskService,
  AutomationRef,
  DiffSummary,
  PullRequestLink,
  RepositoryRef,
  RunBillingSummary,
  RunLinks,
  RunModel,
  RunOrigin,
  RunQuestion,
  RunTimestamps,
  WorkflowRef,
} from './run-parts.js';
import { RunSandbox } from '../../manifests/dto/run-sandbox.js';
import { RunTiming } from './timing.js';

const RUN_SIZES = ['XS', 'S', 'M', 'L', 'XL'] as const;
export type RunSize = (typeof RUN_SIZES)[number];

/** A run as everybody sees it. */
@ApiSchema({ name: 'Run' })
export class RunResponse {
  @Text({ format: 'ulid' }) id!: string;
  @Text({ optional: true, nullable: true }) parent_id?: string | null;
  @Integer({ min: 0, format: 'uint64' }) children_count!: number;
  @Text() title!: string;
  @Text() goal!: string;
  @Nested(WorkflowRef) workflow!: WorkflowRef;
  @Nested(AutomationRef, { nullable: true }) automation!: AutomationRef | null;
  @Nested(RepositoryRef, { nullable: true }) repository!: RepositoryRef | null;
  @Field(principal) created_by!: Principal;
  @Nested(RunOrigin) origin!: RunOrigin;
  @MapOf(textKind()) labels!: Record<string, string>;
  @Nested(RunLifecycle) lifecycle!: RunLifecycle;
  @Nested(RunSandbox, { nullable: true }) sandbox!: RunSandbox | null;
  @ListOf(RunModel) models!: RunModel[];
  @Text({ nullable: true }) source_directory!: string | null;
  @Nested(RunTimestamps) timestamps!: RunTimestamps;
  @Nested(RunTiming, { nullable: true }) timing!: RunTiming | null;
  @Nested(RunBillingSummary, { nullable: true }) billing!: RunBillingSummary | null;
  @OneOf(RUN_SIZES, { name: 'RunSize' }) size!: RunSize;
  @Nested(AskService) ask_service!: AskService;
  @Nested(DiffSummary, { nullable: true }) diff!: DiffSummary | null;
  @Nested(PullRequestLink, { nullable: true }) pull_request!: PullRequestLink | null;
  @Nested(RunQuestion, { nullable: true }) current_question!: RunQuestion | null;
  @Text({ nullable: true, doc: 'The run that replaced this one by rewinding.' }) superseded_by!: string | null;
  @Text({ nullable: true, doc: 'The run that this one tries again.' }) retried_from!: string | null;
  @Nested(RunLinks) links!: RunLinks;
}
