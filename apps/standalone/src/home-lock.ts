import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readServerRecord, type Home } from '#libs/config';
import { messageOf, RunyardError } from '#libs/kernel';

export class HomeInUseError extends RunyardError {
  override readonly code = 'home_in_use';
  readonly kind = 'conflict';
}

export class HomeUnusableError extends RunyardError {
  override readonly code = 'home_unusable';
  readonly kind = 'unavailable';
}

/** Makes the home and refuses one that another living server serves, or that cannot be written to. */
export async function claimHome(home: Home): Promise<void> {
  try {
    await mkdir(home.directory, { recursive: true, mode: 0o700 });
    await mkdir(path.dirname(home.serverRecord), { recursive: true });
  } catch (cause) {
    throw new HomeUnusableError(`The state directory ${home.directory} cannot be written to: ${messageOf(cause)}`, {
      cause,
    });
  }
  const other = await readServerRecord(home);
  if (other && other.pid !== process.pid) {
    throw new HomeInUseError(
      `A server (process ${other.pid}, ${other.address}) already serves ${home.directory}. Stop it with "runyard server stop", or set RUNYARD_HOME.`,
    );
  }
}
