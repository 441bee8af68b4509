type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same record without the members that are `undefined`, as it would come back from JSON. */
export function definedOnly<T extends object>(record: T): Defined<T> {
  const members = record as Record<string, unknown>;
  for (const key of Object.keys(members)) if (members[key] === undefined) delete members[key];
  return record as Defined<T>;
}
