import { type JsonObject } from '#libs/kernel';
import { type RunControlAction } from '../../runs/dto/run-lifecycle.js';
import { runStatus, type RunStatus } from '../../runs/dto/run-status.js';
import { RunStageResponse } from '../../runs/dto/run-stage-response.js';
import { ApiQuestion } from '../../questions/dto/question.js';
import { Field } from '../../../edge/schema/field.js';
import { OneOf, ListOf, MapOf, Nested, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { anything } from '../../../edge/schema/values.js';
import { RunCheckpoint } from './checkpoint.js';
import { TimelineEntryResponse } from './timeline.js';

/** All that the log says about a run, folded. Its members may change between versions. */
export class RunProjection {
  @Text() title!: string;
  @Text({ nullable: true }) parent_id!: string | null;
  @MapOf(anything(), { doc: 'Settings, graph and source, as the engine executes them.' }) spec!: JsonObject;
  @Field(runStatus) status!: RunStatus;
  @Timestamp() status_updated_at!: string;
  @Timestamp() last_event_at!: string;
  @Timestamp({ nullable: true }) archived_at!: string | null;
  @OneOf(['cancel', 'pause', 'unpause'], { name: 'RunControlAction', nullable: true })
  pending_control!: RunControlAction | null;
  @Text({ nullable: true }) superseded_by!: string | null;
  @Text({ nullable: true }) retried_from!: string | null;
  @ListOf(TimelineEntryResponse) checkpoints!: TimelineEntryResponse[];
  @Nested(RunCheckpoint, { nullable: true, doc: 'The latest one, whole.' }) checkpoint!: RunCheckpoint | null;
  @MapOf(ApiQuestion, { doc: 'Open questions by id.' }) pending_interviews!: Record<string, ApiQuestion>;
  @MapOf(RunStageResponse, { doc: 'Stages by id.' }) stages!: Record<string, RunStageResponse>;
  @MapOf(anything(), { doc: 'Context values of the main path.' }) context!: JsonObject;
}
