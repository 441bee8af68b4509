import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { isJsonObject } from '#libs/kernel';
import { InvalidRequestError } from '../errors/request-errors.js';
import { shape } from './composites.js';
import { type Fault, faultsOf } from './faults.js';
import { isShape } from './field.js';
import { unreadable } from './json-guard.js';
import { nameOf } from './kind.js';

const MAX_FAULTS = 20;

/** Turns bodies and queries into instances of their declared shapes, or refuses them with all of their faults at once. */
@Injectable()
export class ShapePipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (!isShape(metatype)) return value;
    const whole = type === 'body' ? 'The body' : 'The query';
    const given = value ?? (mayBeEmpty(metatype) ? {} : undefined);
    if (!isJsonObject(given)) throw new InvalidRequestError([`${whole} must be a JSON object, not ${nameOf(given)}.`]);

    const unread = unreadable(given);
    if (unread.length > 0) throw refusal(unread, whole);
    const shaped = shape(metatype).into?.(given) as object;
    const faults = faultsOf(shaped);
    if (faults.length > 0) throw refusal(faults, whole);
    return shaped;
  }
}

/** A body without required members may be left out altogether. */
function mayBeEmpty(type: new () => object): boolean {
  return faultsOf(new type()).length === 0;
}

function refusal(faults: readonly Fault[], whole: string): InvalidRequestError {
  return new InvalidRequestError(faults.slice(0, MAX_FAULTS).map(({ at, problem }) => `${at || whole} ${problem}.`));
}
