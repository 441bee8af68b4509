import 'reflect-metadata';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ErrorResponse } from '../envelope/error-response.js';
import type { Role } from './roles.js';

const AUDIENCE = 'runyard:audience';

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

/**
 * Which runs an operation is for, when the token of a run asks for it: its `children` (the service makes or looks for no
 * others), the run that the path names if it `descends` from it, or that one or itself (`line`).
 */
export type RunTokenReach = 'children' | 'descends' | 'line';

/** Who may ask for an operation. */
export interface Access {
  /** The least role of a person or a service. */
  role: Role;
  /** What a run may do that speaks for itself; absent where that stays with people. */
  runTokens?: RunTokenReach;
}

interface OperationOptions extends Access {
  /** The refusals of its own, beside those that every operation has. */
  errors?: readonly DocumentedError[];
}

/** Names an operation, and says who may ask for it. Nobody may ask for a route that does not say so. */
export function Operation(id: string, summary: string, { errors = [], ...access }: OperationOptions): MethodDecorator {
  const statuses = new Set<DocumentedError>([...errors, 401, 403, 429, 500, 503]);
  return applyDecorators(
    SetMetadata<string, Audience>(AUDIENCE, access),
    ApiOperation({ operationId: id, summary }),
    ApiExtension('x-least-role', access.role),
    ...(access.runTokens === undefined ? [] : [ApiExtension('x-run-tokens', access.runTokens)]),
    ...[...statuses].map((status) => ApiResponse({ status, description: ERRORS[status], type: ErrorResponse })),
  );
}

/** An operation that needs no credentials. */
export function PublicOperation(id: string, summary: string): MethodDecorator {
  return applyDecorators(
    SetMetadata<string, Audience>(AUDIENCE, 'everybody'),
    ApiOperation({ operationId: id, summary, security: [] }),
  );
}

type Audience = Access | 'everybody';

/** Who may ask for what a method of a controller does; undefined where nothing says so. */
export function audienceOf(method: object): Audience | undefined {
  return Reflect.getMetadata(AUDIENCE, method) as Audience | undefined;
}
