import { Readable } from 'node:stream';
import { runyard } from '../../../apps/cli/src/program.js';
import type { TestServer } from '../server.js';
import { CapturedScreen } from './captured-screen.js';

export interface Typed {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Types a command in a folder, as somebody who is signed in to the server and whose screen is a pipe. */
export async function typedAt(server: TestServer, folder: string, args: readonly string[]): Promise<Typed> {
  const screen = new CapturedScreen();
  const env = {
    ...process.env,
    RUNYARD_HOME: server.host.stateDirectory,
    RUNYARD_SERVER: server.url,
    RUNYARD_TOKEN: server.caller.token!,
  };
  const exitCode = await runyard([...args], { env, cwd: folder, stdin: Readable.from([]), screen });
  return { exitCode, ...screen.written };
}
