import 'reflect-metadata';

interface DeclaredRule {
  /** Members that the rule reads; it is asked only when none of them has a fault of its own. */
  reads: readonly string[];
  at: string;
  problem: (shape: never) => string | undefined;
}

const RULES = Symbol('rules');

/** A rule between members of a shape; what it returns is said of the place `at`. */
export function ShapeRule<T>(
  reads: readonly (keyof T & string)[],
  at: string,
  problem: (shape: T) => string | undefined,
) {
  return (type: abstract new () => T): void => {
    const rule: DeclaredRule = { reads, at, problem };
    Reflect.defineMetadata(RULES, [rule, ...rulesOf(type)], type);
  };
}

export function rulesOf(type: object): readonly DeclaredRule[] {
  return (Reflect.getMetadata(RULES, type) as DeclaredRule[] | undefined) ?? [];
}
