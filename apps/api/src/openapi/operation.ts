import 'reflect-metadata';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ErrorResponse } from '../errors/error-response.js';

const OPERATION_ID = 'runyard:operation';
const PUBLIC = 'runyard:public';

const ERRORS = {
  400: 'The request cannot be read, or breaks a rule.',
  401: 'No credentials, or none that are valid.',
  403: 'The role of the caller does not reach, or the token is that of a run and this is not for it.',
  404: 'There is no such run.',
  409: 'The state of the run does not allow it.',
  413: 'The body is larger than 2 MiB, or the workflow takes too much to be compiled or drawn.',
  415: 'The body is not JSON.',
  429: 'Too many wrong tokens from this address, or open streams of this token; Retry-After says when to come back.',
  500: 'A failure of the server.',
  503: 'Not possible at the moment; Retry-After says when to come back.',
} as const;

export type DocumentedError = keyof typeof ERRORS;

/** Names an operation: in the OpenAPI document, and for the table of roles. */
export function Operation(id: string, summary: string, errors: readonly DocumentedError[] = []): MethodDecorator {
  const statuses = new Set<DocumentedError>([...errors, 401, 403, 429, 500, 503]);
  return applyDecorators(
    SetMetadata(OPERATION_ID, id),
    ApiOperation({ operationId: id, summary }),
    ...[...statuses].map((status) => ApiResponse({ status, description: ERRORS[status], type: ErrorResponse })),
  );
}

/** Opens an operation to everybody. */
const Public = (): MethodDecorator => SetMetadata(PUBLIC, true);

/** An operation that needs no credentials. */
export function PublicOperation(id: string, summary: string): MethodDecorator {
  return applyDecorators(
    Public(),
    SetMetadata(OPERATION_ID, id),
    ApiOperation({ operationId: id, summary, security: [] }),
  );
}

export function operationIdOf(handler: object): string | undefined {
  return Reflect.getMetadata(OPERATION_ID, handler) as string | undefined;
}

export function isPublic(handler: object): boolean {
  return Reflect.getMetadata(PUBLIC, handler) === true;
}
