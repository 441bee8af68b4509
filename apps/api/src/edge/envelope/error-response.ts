import { ListOf, Text } from '../schema/decorators.js';
import { textKind } from '../schema/values.js';

export class ErrorResponseEntry {
  @Text({ doc: 'The HTTP status, as text.' }) status!: string;
  @Text({ doc: 'The standard phrase of the status.' }) title!: string;
  @Text({ doc: 'What went wrong, for people.' }) detail!: string;
  @Text({ optional: true, doc: 'Present only where a client is meant to react to it.' }) code?: string;
  @Text({ format: 'uuid', optional: true }) request_id?: string;
}

/** The body of every error. */
export class ErrorResponse {
  @ListOf(ErrorResponseEntry) errors!: ErrorResponseEntry[];
  @Text({ format: 'uuid', optional: true, doc: 'Equal to the header x-request-id.' }) request_id?: string;
  @ListOf(textKind(), { optional: true, doc: 'Only after a failed installation.' }) leftover_env_keys?: string[];
  @ListOf(textKind(), { optional: true, doc: 'Only after a failed installation.' }) removed_env_keys?: string[];
}
