import { randomUUID } from 'node:crypto';
import { S3ServiceException } from '@aws-sdk/client-s3';
import type { ObjectStore } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import { ObjectStoreUnavailableError, ObjectStoreUnfitError } from './errors.js';

/** Where the check reports what it let pass. pino's loggers fit. */
interface WarningLog {
  warn(fields: Record<string, unknown>, sentence: string): void;
}

/** A tenant that nobody can be, so no object of a run is near. */
const FOLDER = 'boot-check@runyard';

/**
 * The boot check of an object store: puts an object, reads it back and deletes it, which is all that runs ask of one.
 * Throws {@link ObjectStoreUnfitError} when the store refuses or the disk does; a store that is away is only warned of,
 * because it may come back before an output has to be kept.
 */
export async function assertObjectsFit(store: ObjectStore, place: string, log: WarningLog): Promise<void> {
  const folder = `${FOLDER}/${randomUUID()}/`;
  try {
    await store.put(`${folder}object`, new TextEncoder().encode(folder));
    const found = await store.get(`${folder}object`);
    await store.deleteAll(folder);
    if (new TextDecoder().decode(found) === folder) return;
  } catch (thrown) {
    // A key that cannot be written names a place that is a file.
    const cause = thrown instanceof ObjectStoreUnavailableError ? thrown.cause : thrown;
    if (isAway(cause)) return log.warn({ place, error: messageOf(cause) }, 'The object store cannot be reached');
    throw new ObjectStoreUnfitError(place, reasonOf(cause), { cause });
  }
  throw new ObjectStoreUnfitError(place, 'it does not give back what was put into it');
}

/** Whether the fault says nothing about the settings: nobody answered, or the store was busy or broken. */
function isAway(cause: unknown): boolean {
  if (cause instanceof S3ServiceException) {
    const status = cause.$metadata.httpStatusCode ?? 500;
    return status >= 500 || status === 408 || status === 429;
  }
  return /^(TimeoutError|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/.test(codeOf(cause));
}

function reasonOf(cause: unknown): string {
  const message = messageOf(cause).trim();
  const code = cause instanceof S3ServiceException && cause.name !== message ? `${cause.name}: ` : '';
  return code + message;
}

function codeOf(cause: unknown): string {
  const { code, name } = cause as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
