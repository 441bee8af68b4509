import { MAX_VALUE_BYTES, type QuestionAnswer } from '#libs/events';
import { listOf, union } from '../../../edge/schema/composites.js';
import { Field } from '../../../edge/schema/field.js';
import { Discriminator, Text } from '../../../edge/schema/decorators.js';
import { textKind } from '../../../edge/schema/values.js';

class SubmitAnswerYesRequest {
  @Discriminator('yes') kind!: 'yes';
}

class SubmitAnswerNoRequest {
  @Discriminator('no') kind!: 'no';
}

class SubmitAnswerSelectedRequest {
  @Discriminator('selected') kind!: 'selected';
  @Text() option_key!: string;
}

class SubmitAnswerMultiSelectedRequest {
  @Discriminator('multi_selected') kind!: 'multi_selected';
  @Field(listOf(textKind(), { max: 100, unique: true })) option_keys!: string[];
}

class SubmitAnswerTextRequest {
  @Discriminator('text') kind!: 'text';
  @Text({ max: 65_536, maxBytes: MAX_VALUE_BYTES }) text!: string;
}

/** An answer; which kinds a question takes follows from its type. */
export type SubmitAnswerRequest = QuestionAnswer;

export const submitAnswerRequest = union('SubmitAnswerRequest', 'kind', {
  yes: SubmitAnswerYesRequest,
  no: SubmitAnswerNoRequest,
  selected: SubmitAnswerSelectedRequest,
  multi_selected: SubmitAnswerMultiSelectedRequest,
  text: SubmitAnswerTextRequest,
});
