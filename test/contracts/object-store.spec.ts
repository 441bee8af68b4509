import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { ObjectStore } from '#libs/engine';
import {
  DiskObjectStore,
  InvalidObjectKeyError,
  InvalidRangeError,
  ObjectStoreUnavailableError,
  S3ObjectStore,
} from '#libs/object-store';
import { InMemoryObjectStore } from '../support/in-memory-object-store.js';
import { startPagedBucket } from '../support/paged-bucket.js';

const text = (body: string) => new TextEncoder().encode(body);
const read = (body: Uint8Array | undefined) => body && new TextDecoder().decode(body);

async function listed(store: ObjectStore, prefix: string) {
  const found = [];
  for await (const object of store.list(prefix)) found.push(object);
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** s3rver never ends its answer to a range of an empty object. */
function keepsTheContract(store: () => ObjectStore, { readsEmptyRanges = true } = {}) {
  it('gives back what was put, byte by byte', async () => {
    const body = new Uint8Array(randomBytes(3_000_000));
    await store().put('acme/run/plan@1/out.bin', body);
    const found = await store().get('acme/run/plan@1/out.bin');
    expect(found?.length).toBe(body.length);
    expect(Buffer.compare(found!, body)).toBe(0);
  });

  it('keeps an empty object', async () => {
    await store().put('acme/empty', new Uint8Array());
    expect(await store().get('acme/empty')).toEqual(new Uint8Array());
    if (readsEmptyRanges) expect(await store().getRange('acme/empty', 0, 10)).toEqual(new Uint8Array());
  });

  it('knows nothing of keys that were never put', async () => {
    expect(await store().get('acme/never')).toBeUndefined();
    expect(await store().getRange('acme/never', 0, 10)).toBeUndefined();
    expect(await store().getRange('acme/never', 0, 0)).toBeUndefined();
  });

  it('knows no object where there is only a folder', async () => {
    await store().put('acme/folder/object', text('x'));
    expect(await store().get('acme/folder')).toBeUndefined();
    expect(await store().getRange('acme/folder', 0, 1)).toBeUndefined();
  });

  it.each([
    [0, 5, 'hello'],
    [6, 11, 'world'],
    [6, 7, 'w'],
    [6, 1_000, 'world'],
    [3, 3, ''],
    [11, 20, ''],
    [500, 501, ''],
  ])('reads bytes %d to %d', async (start, end, expected) => {
    await store().put('acme/greeting', text('hello world'));
    expect(read(await store().getRange('acme/greeting', start, end))).toBe(expected);
  });

  it('bears the same object many times at once', async () => {
    const body = new Uint8Array(randomBytes(200_000));
    const puts = Array.from({ length: 20 }, () => store().put('acme/same/object', body));
    const gets = Array.from({ length: 20 }, () => store().get('acme/same/object'));
    await Promise.all(puts);
    for (const found of await Promise.all(gets)) if (found) expect(Buffer.compare(found, body)).toBe(0);
    expect(Buffer.compare((await store().get('acme/same/object'))!, body)).toBe(0);
  });

  it('deletes a folder with all that is in it, and nothing beside it', async () => {
    const inside = ['acme/gone/a', 'acme/gone/b/c', 'acme/gone/b/d/e'];
    const beside = ['acme/gone2/a', 'acme/gon', 'zenith/gone/a'];
    for (const key of [...inside, ...beside]) await store().put(key, text(key));
    await store().deleteAll('acme/gone/');
    for (const key of inside) expect(await store().get(key)).toBeUndefined();
    for (const key of beside) expect(read(await store().get(key))).toBe(key);
    await store().deleteAll('acme/gone/');
    await store().put('acme/gone/a', text('again'));
    expect(read(await store().get('acme/gone/a'))).toBe('again');
  });

  it('lists a folder with all that is in it, and nothing beside it', async () => {
    const inside = ['acme/listed/a', 'acme/listed/b/c', 'acme/listed/b/d/e'];
    for (const key of [...inside, 'acme/listed2/a', 'zenith/listed/a']) await store().put(key, text(key));
    const found = await listed(store(), 'acme/listed/');
    expect(found).toEqual(inside.map((key) => ({ key, bytes: key.length })));
    expect(await listed(store(), 'nobody/nothing/')).toEqual([]);
  });

  it('deletes nothing where there is nothing', async () => {
    await expect(store().deleteAll('nobody/nothing/')).resolves.toBeUndefined();
  });

  it.each([
    '',
    '/etc/passwd',
    '../secret',
    'acme/../../secret',
    'acme//x',
    'acme/x/',
    'acme/./x',
    'a b',
    'acme\\x',
    'a\0b',
  ])('refuses the key %j', async (key) => {
    await expect(store().put(key, text('x'))).rejects.toThrow(InvalidObjectKeyError);
    await expect(store().get(key)).rejects.toThrow(InvalidObjectKeyError);
    await expect(store().getRange(key, 0, 1)).rejects.toThrow(InvalidObjectKeyError);
  });

  it.each(['', '/', 'acme', '../', 'acme/../'])('refuses to delete all of %j', async (prefix) => {
    await expect(store().deleteAll(prefix)).rejects.toThrow(InvalidObjectKeyError);
  });

  it('refuses ranges that are none', async () => {
    await expect(store().getRange('acme/x', -1, 3)).rejects.toThrow(InvalidRangeError);
    await expect(store().getRange('acme/x', 3, 2)).rejects.toThrow(InvalidRangeError);
  });
}

describe('objects in memory', () => {
  const store = new InMemoryObjectStore();
  keepsTheContract(() => store);
});

describe('objects on disk', () => {
  let root: string;
  beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), 'runyard-test-objects-'))));
  afterAll(() => rm(root, { recursive: true, force: true }));

  keepsTheContract(() => new DiskObjectStore(root));

  it('leaves no temporary files and no empty folders', async () => {
    const store = new DiskObjectStore(join(root, 'tidy'));
    await store.put('acme/a/b/c', text('x'));
    await store.put('acme/d', text('x'));
    await store.deleteAll('acme/a/b/');
    expect(await readdir(join(root, 'tidy'), { recursive: true })).toEqual(['acme', 'acme/d']);
  });

  it('bears that folders are emptied while objects are put into them', async () => {
    const store = new DiskObjectStore(join(root, 'busy'));
    for (let round = 0; round < 20; round += 1) {
      const puts = Array.from({ length: 5 }, (_, index) => store.put(`acme/run/${index}`, text('x')));
      await Promise.all([...puts, store.deleteAll('acme/run/')]);
    }
    await store.deleteAll('acme/run/');
    expect(await readdir(join(root, 'busy'))).toEqual([]);
  });

  it('refuses an object where a folder is, and a folder where an object is', async () => {
    const store = new DiskObjectStore(join(root, 'clash'));
    await store.put('acme/a/b', text('x'));
    await expect(store.put('acme/a', text('y'))).rejects.toThrow(InvalidObjectKeyError);
    await expect(store.put('acme/a/b/c', text('y'))).rejects.toThrow(InvalidObjectKeyError);
    expect(read(await store.get('acme/a/b'))).toBe('x');
  });

  it('says that it is unavailable when it cannot write', async () => {
    const store = new DiskObjectStore(join(root, 'n'.repeat(300)));
    await expect(store.put('acme/x', text('x'))).rejects.toThrow(ObjectStoreUnavailableError);
  });
});

describe('objects in S3', () => {
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const bucket = 'runyard';
  const region = 'us-east-1';
  let folder: string;
  let server: S3rver;
  let endpoint: string;
  let store: S3ObjectStore;

  const aStore = (prefix?: string) =>
    new S3ObjectStore({
      bucket,
      region,
      endpoint,
      pathStyle: true,
      credentials,
      ...(prefix && { prefix }),
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'runyard-test-s3-'));
    server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: folder });
    const { port } = await server.run();
    endpoint = `http://127.0.0.1:${port}`;
    const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    store = aStore();
  });
  afterAll(async () => {
    store.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  keepsTheContract(() => store, { readsEmptyRanges: false });

  it('deletes more objects than fit on one page', async () => {
    const many = Array.from({ length: 10 }, (_, index) => `acme/many/${index}`);
    const paged = await startPagedBucket([...many, 'acme/other']);
    const pagedStore = new S3ObjectStore({ bucket, region, endpoint: paged.endpoint, pathStyle: true, credentials });
    await pagedStore.deleteAll('acme/many/');
    expect([...paged.keys]).toEqual(['acme/other']);
    pagedStore.close();
    await paged.close();
  });

  it('lists more objects than fit on one page', async () => {
    const many = Array.from({ length: 10 }, (_, index) => `acme/many/${index}`);
    const paged = await startPagedBucket(['acme/other', ...many]);
    const pagedStore = new S3ObjectStore({ bucket, region, endpoint: paged.endpoint, pathStyle: true, credentials });
    expect(await listed(pagedStore, 'acme/many/')).toEqual(many.map((key) => ({ key, bytes: key.length })));
    pagedStore.close();
    await paged.close();
  });

  it('says so when an object could not be deleted', async () => {
    const paged = await startPagedBucket(['acme/many/1', 'acme/many/2'], ['acme/many/2']);
    const pagedStore = new S3ObjectStore({ bucket, region, endpoint: paged.endpoint, pathStyle: true, credentials });
    await expect(pagedStore.deleteAll('acme/many/')).rejects.toThrow(ObjectStoreUnavailableError);
    pagedStore.close();
    await paged.close();
  });

  it('keeps installations apart by their prefix', async () => {
    const [blue, green] = [aStore('blue'), aStore('green/')];
    await blue.put('acme/x', text('blue'));
    expect(await green.get('acme/x')).toBeUndefined();
    expect(read(await store.get('blue/acme/x'))).toBe('blue');
    await green.deleteAll('acme/');
    expect(read(await blue.get('acme/x'))).toBe('blue');
    blue.close();
    green.close();
  });

  it('says that it is unavailable when nobody answers', async () => {
    const away = new S3ObjectStore({
      bucket,
      region,
      endpoint: 'http://127.0.0.1:1',
      pathStyle: true,
      credentials,
    });
    await expect(away.get('acme/x')).rejects.toThrow(ObjectStoreUnavailableError);
    await expect(away.put('acme/x', text('x'))).rejects.toThrow(ObjectStoreUnavailableError);
    away.close();
  });

  it('says that it is unavailable when the bucket is missing, rather than that objects are', async () => {
    const elsewhere = new S3ObjectStore({
      bucket: 'missing',
      region,
      endpoint,
      pathStyle: true,
      credentials,
    });
    await expect(elsewhere.get('acme/x')).rejects.toThrow(ObjectStoreUnavailableError);
    elsewhere.close();
  });
});
