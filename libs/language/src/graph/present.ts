/** A member to be spread into a record, or no member where there is no value: absent is never `undefined`. */
export function present<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}
