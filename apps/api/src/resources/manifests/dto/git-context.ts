import { MAX_NAME_BYTES, MAX_PHRASE_BYTES } from '#libs/events';
import { union } from '../../../edge/schema/composites.js';
import { OneOf, Discriminator, Text } from '../../../edge/schema/decorators.js';
import { Field } from '../../../edge/schema/field.js';
import { MAX_PATH_BYTES } from '../manifest-rules.js';

class PreRunPushOutcomeNotAttempted {
  @Discriminator('not_attempted') type!: 'not_attempted';
}

class PreRunPushOutcomeSucceeded {
  @Discriminator('succeeded') type!: 'succeeded';
  @Text({ maxBytes: MAX_PATH_BYTES }) remote!: string;
  @Text({ maxBytes: MAX_PATH_BYTES }) branch!: string;
}

class PreRunPushOutcomeFailed {
  @Discriminator('failed') type!: 'failed';
  @Text({ maxBytes: MAX_PATH_BYTES }) remote!: string;
  @Text({ maxBytes: MAX_PATH_BYTES }) branch!: string;
  @Text({ maxBytes: MAX_PHRASE_BYTES }) message!: string;
}

class PreRunPushOutcomeSkippedNoRemote {
  @Discriminator('skipped_no_remote') type!: 'skipped_no_remote';
}

class PreRunPushOutcomeSkippedRemoteMismatch {
  @Discriminator('skipped_remote_mismatch') type!: 'skipped_remote_mismatch';
  @Text({ maxBytes: MAX_PATH_BYTES }) remote!: string;
  @Text({ maxBytes: MAX_PATH_BYTES }) repo_origin_url!: string;
}

/** What became of the push that a client tries before it submits. */
export type PreRunPushOutcome =
  | PreRunPushOutcomeNotAttempted
  | PreRunPushOutcomeSucceeded
  | PreRunPushOutcomeFailed
  | PreRunPushOutcomeSkippedNoRemote
  | PreRunPushOutcomeSkippedRemoteMismatch;

const preRunPushOutcome = union('PreRunPushOutcome', 'type', {
  not_attempted: PreRunPushOutcomeNotAttempted,
  succeeded: PreRunPushOutcomeSucceeded,
  failed: PreRunPushOutcomeFailed,
  skipped_no_remote: PreRunPushOutcomeSkippedNoRemote,
  skipped_remote_mismatch: PreRunPushOutcomeSkippedRemoteMismatch,
});

/** The repository that the client stood in. */
export class GitContext {
  @Text({ maxBytes: MAX_PATH_BYTES, doc: 'Without credentials.' }) origin_url!: string;
  @Text({ maxBytes: MAX_PATH_BYTES }) branch!: string;
  @Text({ maxBytes: MAX_NAME_BYTES, optional: true, nullable: true }) sha?: string | null;
  @OneOf(['clean', 'dirty', 'unknown'], { name: 'DirtyStatus' }) dirty!: 'clean' | 'dirty' | 'unknown';
  @Field(preRunPushOutcome) push_outcome!: PreRunPushOutcome;
}
