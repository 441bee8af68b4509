import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync, gzip, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { TenantId } from '#libs/kernel';
import type { Queryable, Statement } from '../database.js';
import { DefinitionMissingError } from '../errors.js';

const readDefinition: Statement = {
  name: 'read-definition',
  text: 'SELECT body FROM definitions WHERE tenant_id = $1 AND sha256 = $2',
};

const COMPRESS_FROM_BYTES = 2_048;
/** Characters of the definitions that are kept. Parsed they take some times as much. */
const CACHED_CHARACTERS = 32 * 1024 * 1024;
const MAX_KNOWN = 50_000;

/** A definition as it is stored, under the digest of its text. */
export interface DefinitionBytes {
  sha256: string;
  /** The bytes as they lie in the table; made when they are needed. */
  readonly body: () => Buffer;
}

export interface EncodedDefinition extends DefinitionBytes {
  readonly text: string;
}

const COMPRESSION = { level: 1 };

export function encodeDefinition(text: string): EncodedDefinition {
  const plain = Buffer.from(text);
  const body = (): Buffer => (plain.length < COMPRESS_FROM_BYTES ? plain : gzipSync(plain, COMPRESSION));
  return { sha256: digestOf(plain), text, body };
}

/** The same, compressed while the event loop goes on, whether it is needed or not. */
export async function encodeLargeDefinition(text: string): Promise<EncodedDefinition> {
  const plain = Buffer.from(text);
  const body = await promisify(gzip)(plain, COMPRESSION);
  return { sha256: digestOf(plain), text, body: () => body };
}

function digestOf(plain: Buffer): string {
  return createHash('sha256').update(plain).digest('hex');
}

export interface DefinitionKey {
  tenantId: TenantId;
  sha256: string;
}

/**
 * Digests that were stored when this process last sent them, so that the same workflow submitted again need not be sent
 * again. A guess: whoever relies on it has PostgreSQL look. Only what is committed may be added.
 */
export class StoredDefinitions {
  private readonly digests = new Set<string>();

  has(tenantId: TenantId, sha256: string): boolean {
    return this.digests.has(`${tenantId} ${sha256}`);
  }

  add(tenantId: TenantId, sha256: string): void {
    if (this.digests.size >= MAX_KNOWN) this.digests.clear();
    this.digests.add(`${tenantId} ${sha256}`);
  }
}

/** What a definition says that is not stored yet; one that is, is read through {@link Definitions}, which keeps it. */
export function parseDefinition<T>({ body }: DefinitionBytes): T {
  return JSON.parse(decodeDefinition(body())) as T;
}

function decodeDefinition(body: Buffer): string {
  const compressed = body[0] === 0x1f && body[1] === 0x8b;
  return (compressed ? gunzipSync(body) : body).toString();
}

/**
 * Definitions by digest. They never change, so what was read once is kept, the 32 Mi characters that were used last. Throws
 * {@link DefinitionMissingError} for one that is not stored.
 */
export class Definitions {
  private readonly cache = new LRUCache<string, NonNullable<unknown>>({ maxSize: CACHED_CHARACTERS });

  constructor(private readonly database: Queryable) {}

  async read<T>(tenantId: TenantId, sha256: string): Promise<T> {
    const key = `${tenantId} ${sha256}`;
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached as T;
    const text = decodeDefinition(await this.bodyOf(tenantId, sha256));
    const definition = JSON.parse(text) as NonNullable<unknown>;
    this.cache.set(key, definition, { size: text.length });
    return definition as T;
  }

  /** A definition for another run of it, as it lies in the table: nothing is read in it. */
  async stored(tenantId: TenantId, sha256: string): Promise<DefinitionBytes> {
    const body = await this.bodyOf(tenantId, sha256);
    return { sha256, body: () => body };
  }

  private async bodyOf(tenantId: TenantId, sha256: string): Promise<Buffer> {
    const [row] = await this.database.query<{ body: Buffer }>(readDefinition, [tenantId, sha256]);
    if (!row) throw new DefinitionMissingError(sha256);
    return row.body;
  }
}
