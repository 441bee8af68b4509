import { SandboxUnavailableError } from '#libs/engine';
import { killRunner } from './leftovers.js';
import { type Owner } from './run-owners.js';
import { type RequestOptions, RunnerConnection, RunnerSilentError } from './runner-connection.js';
import { type Request } from '../runner/protocol.js';

const GONE = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/**
 * A connection to the runner of another owner once it has granted `first`; `undefined` when that runner is dead, or was
 * killed because it did not answer. A refusal is passed on.
 */
export async function reachRunner(
  { runner }: Owner,
  first: Request,
  options: RequestOptions = {},
): Promise<RunnerConnection | undefined> {
  const connection = await connect(runner.socketPath);
  try {
    await connection?.request(first, options);
    if (connection) return connection;
  } catch (error) {
    const isRefusal = connection?.isOpen && !(error instanceof RunnerSilentError);
    connection?.close();
    if (isRefusal) throw error;
  }
  await killRunner(runner);
  return undefined;
}

async function connect(socketPath: string): Promise<RunnerConnection | undefined> {
  try {
    return await RunnerConnection.connect(socketPath);
  } catch (cause) {
    if (GONE.includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new SandboxUnavailableError('The runner of an earlier epoch cannot be reached.', { cause });
  }
}
