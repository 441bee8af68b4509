import { type QuestionType } from '#libs/events';
import { OneOf, Flag, Integer, ListOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { PaginationMeta } from '../../runs/dto/pages.js';

export const QUESTION_TYPES = ['yes_no', 'multiple_choice', 'multi_select', 'freeform', 'confirmation'] as const;

export class InterviewOption {
  @Text({ doc: 'What an answer names.' }) key!: string;
  @Text() label!: string;
  @Text({ nullable: true, optional: true }) description?: string | null;
  @Text({ nullable: true, optional: true }) preview?: string | null;
}

/** The document a question is about. */
export class ReviewTarget {
  @Text({ min: 1, max: 200 }) label!: string;
  @Text({ format: 'uri', min: 1, max: 2_048 }) url!: string;
  @OneOf(['document'], { name: 'ReviewTargetKind' }) kind!: 'document';
}

/** A question that waits for a person. */
export class ApiQuestion {
  @Text() id!: string;
  @Text() text!: string;
  @Text({ doc: 'The node that asks.' }) stage!: string;
  @OneOf(QUESTION_TYPES, { name: 'QuestionType' }) question_type!: QuestionType;
  @ListOf(InterviewOption) options!: InterviewOption[];
  @Flag({ doc: 'Free text is an answer, too.' }) allow_freeform!: boolean;
  @Integer({ nullable: true, doc: 'Seconds from the asking.' }) timeout_seconds!: number | null;
  @Text({ nullable: true, doc: 'What the stage before it said.' }) context_display!: string | null;
  @Nested(ReviewTarget, { nullable: true }) review_target!: ReviewTarget | null;
}

export class PaginatedApiQuestionList {
  @ListOf(ApiQuestion) data!: ApiQuestion[];
  @Nested(PaginationMeta) meta!: PaginationMeta;
}
