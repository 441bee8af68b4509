import { ObjectStore, type StoredObject } from '#libs/engine';
import { InvalidObjectKeyError, InvalidRangeError } from '#libs/object-store';

const PATH = /^[A-Za-z0-9._\-@:]+(\/[A-Za-z0-9._\-@:]+)*$/;

export class InMemoryObjectStore extends ObjectStore {
  private readonly objects = new Map<string, Uint8Array>();

  async put(key: string, body: Uint8Array): Promise<void> {
    this.objects.set(checked(key), body.slice());
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.objects.get(checked(key))?.slice();
  }

  async getRange(key: string, start: number, end: number): Promise<Uint8Array | undefined> {
    if (!(start >= 0 && end >= start)) throw new InvalidRangeError(start, end);
    return this.objects.get(checked(key))?.slice(start, end);
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    checkedPrefix(prefix);
    for (const [key, { length }] of this.objects) if (key.startsWith(prefix)) yield { key, bytes: length };
  }

  async deleteAll(prefix: string): Promise<void> {
    checkedPrefix(prefix);
    for (const key of this.objects.keys()) if (key.startsWith(prefix)) this.objects.delete(key);
  }
}

function checkedPrefix(prefix: string): void {
  if (!prefix.endsWith('/')) throw new InvalidObjectKeyError(prefix);
  checked(prefix.slice(0, -1));
}

function checked(key: string): string {
  if (!PATH.test(key) || key.includes('..') || key.split('/').includes('.')) throw new InvalidObjectKeyError(key);
  return key;
}
