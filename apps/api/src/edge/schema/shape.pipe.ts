import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { isJsonObject, type JsonObject } from '#libs/kernel';
import { InvalidRequestError } from '../errors/request-errors.js';
import { strangersOf } from './closed.js';
import { type ShapeFault, faultsOf } from './faults.js';
import { instanceOf, isShape } from './fields.js';
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

    return refuseFaults(given, () => instanceOf(metatype, given), whole, strangersOf(metatype, given));
  }
}

/** The instance that is made of a JSON object; a request with faults is refused with all of them. */
export function refuseFaults(
  given: JsonObject,
  make: () => object,
  whole: string,
  strangers: Iterable<ShapeFault> = [],
): object {
  const unread = unreadable(given, MAX_FAULTS);
  if (unread.length > 0) throw refusal(unread, whole);
  const shaped = make();
  const faults = firstFaults(allOf(strangers, faultsOf(shaped)));
  if (faults.length > 0) throw refusal(faults, whole);
  return shaped;
}

/** A body without required members may be left out altogether. */
function mayBeEmpty(type: new () => object): boolean {
  return faultsOf(new type()).next().done === true;
}

function* allOf(...sources: Iterable<ShapeFault>[]): Generator<ShapeFault, void> {
  for (const source of sources) yield* source;
}

function firstFaults(faults: Iterator<ShapeFault>): ShapeFault[] {
  const found: ShapeFault[] = [];
  for (let next = faults.next(); !next.done && found.length < MAX_FAULTS; next = faults.next()) found.push(next.value);
  return found;
}

function refusal(faults: readonly ShapeFault[], whole: string): InvalidRequestError {
  return new InvalidRequestError(faults.map(({ at, problem }) => `${at || whole} ${problem}.`));
}
