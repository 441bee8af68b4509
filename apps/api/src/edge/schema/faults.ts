import { validateSync } from 'class-validator';
import { fieldsOf } from './fields.js';
import { type Kind } from './kind.js';
import { rulesOf } from './rule.js';

/** Something wrong with a request: where, and what. Read together they are a sentence. */
export interface ShapeFault {
  at: string;
  problem: string;
}

/** The faults of a shape and of all that lies inside it, found one by one: who has enough stops asking. */
export function* faultsOf(shape: object, at = ''): Generator<ShapeFault, void> {
  const places: string[] = [];
  for (const fault of fieldFaults(shape, at)) {
    places.push(fault.at);
    yield fault;
  }
  yield* ruleFaults(shape, at, places);
}

function* fieldFaults(shape: object, at: string): Generator<ShapeFault, void> {
  const own = memberFaults(shape, at);
  yield* own;
  for (const { name, kind } of fieldsOf(shape)) {
    const place = join(at, name);
    const isFaulty = own.some((fault) => fault.at === place);
    if (!isFaulty) yield* faultsInside(kind, (shape as Record<string, unknown>)[name], place);
  }
}

function memberFaults(shape: object, at: string): ShapeFault[] {
  return validateSync(shape, { forbidUnknownValues: false }).map(({ property, constraints = {} }) => ({
    at: join(at, property),
    problem: Object.values(constraints)[0] ?? 'is not valid',
  }));
}

function* faultsInside(kind: Kind, value: unknown, at: string): Generator<ShapeFault, void> {
  if (isInstance(value)) yield* faultsOf(value, at);
  for (const part of kind.parts?.(value) ?? []) {
    const place = at + part.place;
    const problem = part.kind.problem(part.value);
    if (problem !== undefined) yield { at: place, problem };
    else yield* faultsInside(part.kind, part.value, place);
  }
}

function isInstance(value: unknown): value is object {
  return typeof value === 'object' && value !== null && fieldsOf(value).length > 0;
}

function* ruleFaults(shape: object, at: string, places: readonly string[]): Generator<ShapeFault, void> {
  for (const rule of rulesOf(shape.constructor)) {
    const isReadable = !rule.reads.some((name) => places.some((place) => isWithin(place, join(at, name))));
    const problem = isReadable ? rule.problem(shape as never) : undefined;
    if (problem !== undefined) yield { at: join(at, rule.at), problem };
  }
}

function isWithin(place: string, member: string): boolean {
  return place === member || place.startsWith(`${member}.`) || place.startsWith(`${member}[`);
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}
