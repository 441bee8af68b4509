import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, RunyardError } from '#libs/kernel';

class SandboxDirectoryError extends RunyardError {
  override readonly code = 'sandbox_directory_unusable';
  readonly kind = 'unavailable';
}

/**
 * Makes the directory of the sandboxes. Refuses a place that is full, read-only or a file before the worker says that it
 * is there, because every command would fail in it.
 */
export async function makeSandboxDirectory(directory: string): Promise<void> {
  const file = path.join(directory, `write-check-${randomUUID()}`);
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(file, file);
    await rm(file);
  } catch (cause) {
    const message = `The directory for sandboxes ${directory} cannot be written to: ${messageOf(cause)}`;
    throw new SandboxDirectoryError(message, { cause });
  }
}
