export interface StoredObject {
  key: string;
  bytes: number;
}

/**
 * Large outputs, by key. Keys are relative paths of letters, digits, `.`, `_`, `-`, `@`, `:` and `/`, without `..`; they
 * begin with the tenant. An object is written once and never changed: putting the same key again is harmless.
 */
export abstract class ObjectStore {
  /** Stores the whole object or nothing; readers never see a part of it. */
  abstract put(key: string, body: Uint8Array): Promise<void>;

  /** The object, or `undefined` when there is none. */
  abstract get(key: string): Promise<Uint8Array | undefined>;

  /** Bytes `[start, end)` of the object, cut at its end; `undefined` when there is none. */
  abstract getRange(key: string, start: number, end: number): Promise<Uint8Array | undefined>;

  /** Every object whose key begins with `prefix`, which ends in `/`, in no order. What comes or goes meanwhile may be in it. */
  abstract list(prefix: string): AsyncIterable<StoredObject>;

  /** Removes every object whose key begins with `prefix`, which ends in `/`. Harmless when there is none. */
  abstract deleteAll(prefix: string): Promise<void>;
}
