import { validateSync } from 'class-validator';
import { fieldsOf } from './field.js';
import { type Kind } from './kind.js';
import { rulesOf } from './rule.js';

/** Something wrong with a request: where, and what. Read together they are a sentence. */
export interface Fault {
  at: string;
  problem: string;
}

/** Every fault of a shape and of all that lies inside it. Members that are not declared are removed from it. */
export function faultsOf(shape: object, at = ''): Fault[] {
  const members = memberFaults(shape, at);
  const inside = fieldsOf(shape).flatMap(({ name, kind }) => {
    const value = (shape as Record<string, unknown>)[name];
    const place = join(at, name);
    return members.some((fault) => fault.at === place) ? [] : faultsInside(kind, value, place);
  });
  const faults = [...members, ...inside];
  return [...faults, ...ruleFaults(shape, at, faults)];
}

function memberFaults(shape: object, at: string): Fault[] {
  return validateSync(shape, { whitelist: true, forbidUnknownValues: false }).map(({ property, constraints = {} }) => ({
    at: join(at, property),
    problem: Object.values(constraints)[0] ?? 'is not valid',
  }));
}

function faultsInside(kind: Kind, value: unknown, at: string): Fault[] {
  const parts = kind.parts?.(value) ?? [];
  if (parts.length > 0) return parts.flatMap((part) => faultsOfPart(part.kind, part.value, at + part.place));
  return isInstance(value) ? faultsOf(value, at) : [];
}

function faultsOfPart(kind: Kind, value: unknown, at: string): Fault[] {
  const problem = kind.problem(value);
  return problem === undefined ? faultsInside(kind, value, at) : [{ at, problem }];
}

function isInstance(value: unknown): value is object {
  return typeof value === 'object' && value !== null && fieldsOf(value).length > 0;
}

function ruleFaults(shape: object, at: string, faults: readonly Fault[]): Fault[] {
  return rulesOf(shape.constructor).flatMap((rule) => {
    const unread = rule.reads.some((name) => faults.some((fault) => isWithin(fault.at, join(at, name))));
    const problem = unread ? undefined : rule.problem(shape as never);
    return problem === undefined ? [] : [{ at: join(at, rule.at), problem }];
  });
}

function isWithin(place: string, member: string): boolean {
  return place === member || place.startsWith(`${member}.`) || place.startsWith(`${member}[`);
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}
