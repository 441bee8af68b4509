import { applyDecorators, type PipeTransform } from '@nestjs/common';
import { ApiBody, ApiExtraModels } from '@nestjs/swagger';
import { isJsonObject } from '#libs/kernel';
import { InvalidRequestError } from '../errors/request-errors.js';
import { type Kind, nameOf } from './kind.js';
import { plainReference } from './named-schemas.js';
import { refuseFaults } from './shape.pipe.js';

/** Describes a body that is one of several shapes. */
export function UnionBody(kind: Kind): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(...((kind.shapes ?? []) as (new () => object)[])),
    ApiBody({ required: true, schema: plainReference(kind.schema) }),
  );
}

/** Turns a body into an instance of the shape that its tag names, or refuses it with all of its faults at once. */
export class UnionPipe implements PipeTransform {
  constructor(private readonly kind: Kind) {}

  transform(value: unknown): unknown {
    if (!isJsonObject(value)) {
      throw new InvalidRequestError([`The body must be a JSON object, not ${nameOf(value)}.`]);
    }
    const problem = this.kind.problem(value);
    if (problem !== undefined) throw new InvalidRequestError([`The body ${problem}.`]);
    return refuseFaults(value, () => this.kind.into!(value) as object, 'The body');
  }
}
