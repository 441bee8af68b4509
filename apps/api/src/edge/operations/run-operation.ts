import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { type DocumentedError, Operation } from './operation.js';

/** An operation on the run that the path names. */
export function RunOperation(id: string, summary: string, errors: readonly DocumentedError[] = []): MethodDecorator {
  return applyDecorators(
    Operation(id, summary, [400, 404, ...errors]),
    ApiParam({ name: 'id', type: 'string', description: 'The run, a ULID.' }),
  );
}
