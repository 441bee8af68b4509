import 'reflect-metadata';
import { type Kind, type ShapeClass } from './kind.js';

export interface DeclaredField {
  name: string;
  kind: Kind;
}

const FIELDS = Symbol('fields');

/** Adds a member to those that a class has declared or inherited. */
export function declareField(prototype: object, field: DeclaredField): void {
  Reflect.defineMetadata(FIELDS, [...fieldsOf(prototype), field], prototype);
}

/** The declared members of an instance's class, in their order. */
export function fieldsOf(shape: object): readonly DeclaredField[] {
  return (Reflect.getMetadata(FIELDS, shape) as DeclaredField[] | undefined) ?? [];
}

export function isShape(type: unknown): type is new () => object {
  return typeof type === 'function' && fieldsOf(type.prototype as object).length > 0;
}

/** An instance with the declared members of a value; what is not declared stays behind, however much it is. */
export function instanceOf(type: ShapeClass, value: object): object {
  const instance = new (type as new () => object)() as Record<string, unknown>;
  for (const { name, kind } of fieldsOf(instance)) {
    if (Object.hasOwn(value, name)) instance[name] = converted(kind, (value as Record<string, unknown>)[name]);
  }
  return instance;
}

export function converted(kind: Kind, value: unknown): unknown {
  return value === null || value === undefined || !kind.into ? value : kind.into(value);
}
