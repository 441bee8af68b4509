import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { Operation } from './operation.js';

type Options = Parameters<typeof Operation>[2];

/** An operation on the run that the path names. */
export function RunOperation(id: string, summary: string, { errors = [], ...access }: Options): MethodDecorator {
  return applyDecorators(
    Operation(id, summary, { ...access, errors: [400, 404, ...errors] }),
    ApiParam({ name: 'id', type: 'string', description: 'The run, a ULID.' }),
  );
}
