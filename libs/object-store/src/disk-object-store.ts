import { ObjectStore, type StoredObject } from '#libs/engine';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { InvalidObjectKeyError, ObjectStoreUnavailableError } from './errors.js';
import { assertKey, assertPrefix, assertRange } from './object-key.js';

const TRIES = 5;

/**
 * Objects as files below one folder. A file gets its name once it is whole and on the disk, so neither a crash nor a
 * power cut leaves a part of an object. A folder and an object cannot share a name.
 */
export class DiskObjectStore extends ObjectStore {
  private readonly root: string;

  constructor(root: string) {
    super();
    this.root = resolve(root);
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    const path = this.pathOf(key);
    for (let tries = 1; ; tries += 1) {
      try {
        return await writeWhole(path, body);
      } catch (cause) {
        if (isCode(cause, 'ENOTDIR', 'EEXIST', 'EISDIR')) throw new InvalidObjectKeyError(key);
        // The folder vanished between making and using it, because somebody emptied it.
        if (!isCode(cause, 'ENOENT') || tries === TRIES) throw new ObjectStoreUnavailableError({ cause });
      }
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const path = this.pathOf(key);
    return orNothing(async () => bytes(await readFile(path)));
  }

  async getRange(key: string, start: number, end: number): Promise<Uint8Array | undefined> {
    assertRange(start, end);
    const path = this.pathOf(key);
    return orNothing(async () => {
      const file = await open(path, 'r');
      try {
        return await readPart(file, start, end);
      } finally {
        await file.close();
      }
    });
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    assertPrefix(prefix);
    const entries = await orNothing(() => readdir(join(this.root, prefix), { withFileTypes: true }));
    for (const entry of entries ?? []) {
      const key = `${prefix}${entry.name}`;
      if (entry.isDirectory()) yield* this.list(`${key}/`);
      else if (!entry.name.startsWith(UNFINISHED)) {
        const found = await orNothing(() => stat(join(this.root, key)));
        if (found) yield { key, bytes: found.size };
      }
    }
  }

  async deleteAll(prefix: string): Promise<void> {
    assertPrefix(prefix);
    const folder = join(this.root, prefix);
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: TRIES });
      await this.removeEmptyAbove(folder);
    } catch (cause) {
      if (!isCode(cause, 'ENOTDIR')) throw new ObjectStoreUnavailableError({ cause });
    }
  }

  private pathOf(key: string): string {
    assertKey(key);
    return join(this.root, key);
  }

  private async removeEmptyAbove(folder: string): Promise<void> {
    for (let above = dirname(folder); above !== this.root; above = dirname(above)) {
      try {
        await rmdir(above);
      } catch (error) {
        if (!isCode(error, 'ENOENT')) return;
      }
    }
  }
}

/** No key has this character, so nobody can read what is still being written as an object. */
const UNFINISHED = '~';

async function writeWhole(path: string, body: Uint8Array): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `${UNFINISHED}${randomUUID()}`);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(body);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** The new name itself has to reach the disk. A folder that was emptied since then has nothing left to keep. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

async function readPart(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const stat = await file.stat();
  if (stat.isDirectory()) throw Object.assign(new Error('A folder is no object.'), { code: 'EISDIR' });
  const part = new Uint8Array(Math.max(0, Math.min(end, stat.size) - start));
  let filled = 0;
  while (filled < part.length) {
    const { bytesRead } = await file.read(part, filled, part.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return part.subarray(0, filled);
}

async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (isCode(cause, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined;
    throw new ObjectStoreUnavailableError({ cause });
  }
}

function bytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function isCode(thrown: unknown, ...codes: string[]): boolean {
  return codes.includes((thrown as NodeJS.ErrnoException).code ?? '');
}
