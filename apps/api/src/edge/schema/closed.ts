import { getSchemaPath } from '@nestjs/swagger';
import { nearestName, type JsonObject } from '#libs/kernel';
import { type ShapeFault } from './faults.js';
import { fieldsOf } from './fields.js';
import { quote, type ShapeClass } from './kind.js';

const closed = new Set<ShapeClass>();

/** Refuses a body with members that the shape does not declare; without it they stay behind unread. */
export function Closed(): ClassDecorator {
  return (type) => void closed.add(type as unknown as ShapeClass);
}

/** The members that a closed shape does not have, found one by one; none where the shape is open. */
export function* strangersOf(type: ShapeClass, given: JsonObject): Generator<ShapeFault, void> {
  if (!closed.has(type)) return;
  const names = fieldsOf(type.prototype as object).map(({ name }) => name);
  for (const at of Object.keys(given)) {
    if (names.includes(at)) continue;
    const meant = nearestName(at, names);
    const remedy = meant === undefined ? 'leave it out' : `perhaps ${meant} is meant`;
    yield { at: quote(at), problem: `is no member of this body; ${remedy}` };
  }
}

/** The schemas of the document that say so, by name. */
export function closedSchemas(): string[] {
  return [...closed].map((type) => getSchemaPath(type as never).replace('#/components/schemas/', ''));
}
