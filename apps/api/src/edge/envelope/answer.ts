import { HttpException } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { RunyardError, shortenText } from '#libs/kernel';
import { type ErrorResponse, type ErrorResponseEntry } from './error-response.js';
import { HTTP_STATUS } from '../errors/http-status.js';
import { InvalidRequestError } from '../errors/request-errors.js';

/** What the caller is told: a status and one sentence per fault. */
export interface ErrorAnswer {
  status: number;
  details: readonly string[];
  code?: string;
}

/** What the answer to an error may depend on, besides the error. */
export interface RequestFacts {
  method: string;
  path: string;
  /** Methods that exist at this path. */
  allowed: readonly string[];
  /** Every fault of the body is 400 here, a wrong media type too. */
  bodyFaultsAreInvalid: boolean;
}

const UNEXPECTED: ErrorAnswer = {
  status: 500,
  details: ['Something went wrong on our side. Name the request id when you report it.'],
};

/** The answer to anything that was thrown. What is not meant for the caller becomes a bare 500. */
export function answerTo(error: unknown, request: RequestFacts): ErrorAnswer {
  return error instanceof HttpException ? frameworkAnswer(error, request) : answerToFault(error);
}

/** The answer to what a use case threw, whatever the request was. */
export function answerToFault(error: unknown): ErrorAnswer {
  if (error instanceof InvalidRequestError) return { status: HTTP_STATUS[error.kind], details: error.faults };
  if (!(error instanceof RunyardError)) return UNEXPECTED;
  const answer = { status: HTTP_STATUS[error.kind], details: [error.message] };
  return error.code === undefined ? answer : { ...answer, code: error.code };
}

function frameworkAnswer(error: HttpException, request: RequestFacts): ErrorAnswer {
  const { method, path, allowed, bodyFaultsAreInvalid } = request;
  switch (error.getStatus()) {
    case 404:
      if (allowed.length === 0) return { status: 404, details: [`There is nothing at ${path}.`] };
      return { status: 405, details: [`${path} does not take ${method}. Use ${allowed.join(' or ')}.`] };
    case 413:
      return { status: 413, details: ['The body is larger than 2 MiB. Send less.'] };
    case 415:
      return {
        status: bodyFaultsAreInvalid ? 400 : 415,
        details: ['The body must be JSON. Send it with "Content-Type: application/json".'],
      };
    case 400:
      return { status: 400, details: [error.message] };
    default:
      return error.getStatus() < 500 ? { status: error.getStatus(), details: [error.message] } : UNEXPECTED;
  }
}

/** Details quote what was sent; an answer is not as large as its request. */
const MAX_DETAIL_BYTES = 8 * 1024;

/** An answer as it stands in a list: one entry for each fault. */
export function entriesOf({ status, details, code }: ErrorAnswer): ErrorResponseEntry[] {
  const title = STATUS_CODES[status] ?? 'Error';
  return details.map((detail) => ({
    status: String(status),
    title,
    detail: shortenText(detail, MAX_DETAIL_BYTES),
    ...(code === undefined ? {} : { code }),
  }));
}

/** The envelope around an answer. */
export function envelope(answer: ErrorAnswer, requestId: string): ErrorResponse {
  const errors = entriesOf(answer).map((entry) => ({ ...entry, request_id: requestId }));
  return { errors, request_id: requestId };
}
