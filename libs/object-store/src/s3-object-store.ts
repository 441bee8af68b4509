import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { ObjectStore, type StoredObject } from '#libs/engine';
import { ObjectStoreUnavailableError } from './errors.js';
import { assertKey, assertPrefix, assertRange } from './object-key.js';

export interface S3Settings {
  bucket: string;
  region: string;
  /** Of a store other than Amazon's. */
  endpoint?: string;
  /** Names the bucket in the path instead of the host, which most stores other than Amazon's want. */
  pathStyle?: boolean;
  /** Stands before every key, so that several installations can share a bucket. */
  prefix?: string;
  /** Without them the client looks where AWS clients look: environment, profile, instance. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
}

/** Objects in a bucket. The client repeats what failed on the way; every operation here bears that. */
export class S3ObjectStore extends ObjectStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;

  constructor({ bucket, region, endpoint, pathStyle = false, prefix = '', credentials }: S3Settings) {
    super();
    this.bucket = bucket;
    this.prefix = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    if (this.prefix) assertPrefix(this.prefix);
    this.client = new S3Client({
      region,
      forcePathStyle: pathStyle,
      ...(endpoint && { endpoint }),
      ...(credentials && { credentials }),
      // Checksums that were not asked for corrupt uploads to stores that do not know them.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 1_500, requestTimeout: 30_000 },
    });
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    const place = this.placeOf(key);
    await reaching(() => this.client.send(new PutObjectCommand({ ...place, Body: body, ContentLength: body.length })));
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.read(key);
  }

  async getRange(key: string, start: number, end: number): Promise<Uint8Array | undefined> {
    assertRange(start, end);
    if (start === end) return this.nothingOf(key);
    return this.read(key, `bytes=${start}-${end - 1}`);
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    assertPrefix(prefix);
    for (let token: string | undefined, more = true; more;) {
      const page = await this.page(this.prefix + prefix, token);
      for (const { Key, Size = 0 } of page.Contents ?? []) {
        if (Key !== undefined) yield { key: Key.slice(this.prefix.length), bytes: Size };
      }
      token = page.NextContinuationToken;
      more = page.IsTruncated === true && token !== undefined;
    }
  }

  async deleteAll(prefix: string): Promise<void> {
    assertPrefix(prefix);
    // Each page is the first one: what the page before it listed is gone.
    for (let more = true; more;) {
      const page = await this.page(this.prefix + prefix);
      const keys = (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]));
      if (keys.length > 0) await this.delete(keys);
      more = page.IsTruncated === true && keys.length > 0;
    }
  }

  /** Ends the kept-alive connections. */
  close(): void {
    this.client.destroy();
  }

  private placeOf(key: string): { Bucket: string; Key: string } {
    assertKey(key);
    return { Bucket: this.bucket, Key: this.prefix + key };
  }

  private async read(key: string, range?: string): Promise<Uint8Array | undefined> {
    const request = new GetObjectCommand({ ...this.placeOf(key), ...(range && { Range: range }) });
    return unlessMissing(async () => {
      const { Body } = await this.client.send(request);
      return Body ? await Body.transformToByteArray() : new Uint8Array();
    });
  }

  private async nothingOf(key: string): Promise<Uint8Array | undefined> {
    const request = new HeadObjectCommand(this.placeOf(key));
    return unlessMissing(async () => {
      await this.client.send(request);
      return new Uint8Array();
    });
  }

  private async page(prefix: string, token?: string) {
    const after = token === undefined ? {} : { ContinuationToken: token };
    const request = new ListObjectsV2Command({ Bucket: this.bucket, Prefix: prefix, ...after });
    return reaching(() => this.client.send(request));
  }

  /** S3 answers 200 and lists what it did not delete. */
  private async delete(keys: { Key: string }[]): Promise<void> {
    const request = new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects: keys, Quiet: true } });
    const { Errors = [] } = await reaching(() => this.client.send(request));
    if (Errors.length > 0) throw new ObjectStoreUnavailableError({ cause: new Error(Errors[0]?.Message) });
  }
}

async function unlessMissing(read: () => Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  return reaching(async () => {
    try {
      return await read();
    } catch (error) {
      const name = error instanceof S3ServiceException ? error.name : undefined;
      if (name === 'NoSuchKey' || name === 'NotFound') return undefined;
      if (name === 'InvalidRange') return new Uint8Array(); // It begins behind the end.
      throw error;
    }
  });
}

async function reaching<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    throw new ObjectStoreUnavailableError({ cause });
  }
}
