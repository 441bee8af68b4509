import { spawn } from 'node:child_process';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRunyardClient, unwrap } from '#libs/api-client';
import { readServerRecord, type Home, type ServerRecord } from '#libs/config';
import { exitCodes } from './exit-code.js';
import { CliError } from './fault.js';
import { standaloneProgram } from './standalone.js';

const START_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 2_000;
const SHOWN_LOG_LINES = 20;

/** The server that serves a home now; undefined when there is none, or when it does not answer. */
export async function runningServer(home: Home): Promise<ServerRecord | undefined> {
  const record = await recordOf(home);
  return record && (await answers(record.address)) ? record : undefined;
}

/** The record of a living server. A record that is being written at this moment is not one yet. */
export function recordOf(home: Home): Promise<ServerRecord | undefined> {
  return readServerRecord(home).catch(() => undefined);
}

export async function answers(server: string): Promise<boolean> {
  const client = createRunyardClient({ server });
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    return (await unwrap(client.api.GET('/health', { signal }))).status === 'ok';
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/**
 * Starts a server for a home, which outlives this process and writes to the home's log, and waits until it answers. A
 * server that serves the home already is as good. Throws with the end of the log when it ends or stays silent; a silent one is ended.
 */
export async function startServer(
  home: Home,
  env: NodeJS.ProcessEnv,
  flags: readonly string[] = [],
): Promise<ServerRecord> {
  const running = await runningServer(home);
  if (running) return running;
  const program = standaloneProgram();
  await mkdir(path.dirname(home.serverLog), { recursive: true, mode: 0o700 });
  const log = await open(home.serverLog, 'a', 0o600);
  const { size: logStart } = await log.stat();
  const server = spawn(process.execPath, [program, ...flags], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env,
  });
  server.unref();
  await log.close();

  const hasEnded = (): boolean => server.exitCode !== null || server.signalCode !== null;
  let ended = false;
  for (const deadline = performance.now() + START_WITHIN_MS; performance.now() < deadline && !ended;) {
    await sleep(LOOK_EVERY_MS);
    // It also ends when somebody else's server was faster, which is then there to be found.
    ended = hasEnded();
    const record = await runningServer(home);
    if (record) return record;
  }
  if (!ended) server.kill();
  const what = ended
    ? 'The server ended while it started'
    : `The server did not answer within ${START_WITHIN_MS / 1000}s`;
  throw new CliError(
    `${what}. ${home.serverLog} ends with:\n${await tailOf(home.serverLog, logStart)}`,
    exitCodes.failed,
  );
}

async function tailOf(file: string, start: number): Promise<string> {
  const { size } = await stat(file);
  const text = (await readFile(file)).subarray(Math.min(start, size)).toString();
  const lines = text.trimEnd().split('\n').slice(-SHOWN_LOG_LINES);
  return lines.map((line) => `    ${line}`).join('\n');
}
