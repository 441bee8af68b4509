/** Sets an optional member where there is a value: absent is never `undefined`. */
export function setPresent<T, K extends keyof T>(record: T, key: K, value: T[K] | undefined): void {
  if (value !== undefined) record[key] = value;
}
