import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { hideEnvironment, parseBinding, type ServerRecord } from '#libs/config';
import type { Cli } from '../cli.js';
import { type ExitCode, exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { answers, recordOf, startServer } from '../server/local-server.js';
import { standaloneProgram } from '../server/standalone.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../options/whole-number.js';

const LOOK_EVERY_MS = 100;

interface StartOptions {
  bind?: string;
  model?: string;
  environment?: string;
  maxConcurrentRuns?: number;
  config?: string;
  detach?: boolean;
}

export function addServer(program: Command, cli: Cli): void {
  const server = program.command('server').description('the server of this machine');
  server
    .command('start')
    .description('run a server, with its worker and its database, in the foreground unless told otherwise')
    .option('--bind <address>', 'IP, IP:port, or the path of a socket', checkedBinding)
    .option('--model <name>', 'the model of runs that name none')
    .option('--environment <slug>', 'the environment of runs that name none')
    .option('--max-concurrent-runs <n>', 'how many runs execute at once', wholeNumber)
    .option('--config <file>', 'the settings file')
    .option('-d, --detach', 'start it in the background, and return when it serves')
    .addHelpText('after', '\nExample:\n  runyard server start --bind 127.0.0.1:8080')
    .action(
      cli.action<StartOptions>((session, options) => {
        const flags = flagsOf(options);
        return options.detach ? startDetached(session, flags) : serve(flags, session.surroundings.env);
      }),
    );
  server
    .command('status')
    .description('whether a server runs for this home, and where')
    .addHelpText('after', '\nExample:\n  runyard server status --json')
    .action(
      cli.action(async ({ home, screen, json }) => {
        const record = await recordOf(home);
        const healthy = record !== undefined && (await answers(record.address));
        if (json) screen.json(record ? { running: healthy, ...shown(record) } : { running: false });
        else screen.result(record ? statusLines(record, healthy) : `no server runs for ${home.directory}`);
        return healthy ? exitCodes.done : exitCodes.unreachable;
      }),
    );
  server
    .command('stop')
    .description('stop the server of this home; its runs go on when it is started again')
    .option('--timeout <seconds>', 'end it by force after this long', wholeNumber, 30)
    .addHelpText('after', '\nExample:\n  runyard server stop')
    .action(
      cli.action<{ timeout: number }>(async ({ home, screen, json }, { timeout }) => {
        const record = await recordOf(home);
        if (record) await stop(record, timeout * 1_000);
        if (json) screen.json({ stopped: record !== undefined });
        else screen.result(record ? `stopped (process ${record.pid})` : `no server runs for ${home.directory}`);
        return exitCodes.done;
      }),
    );
}

/** Checked here, before a process is started for it. */
function checkedBinding(text: string): string {
  parseBinding(text);
  return text;
}

function flagsOf({ bind, model, environment, maxConcurrentRuns, config }: StartOptions): string[] {
  const flags = { bind, model, environment, 'max-concurrent-runs': maxConcurrentRuns, config };
  return Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
}

/** The server as a child that has this process's terminal and gets its signals; ends with its code. */
async function serve(flags: string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const child = spawn(process.execPath, [standaloneProgram(), ...flags], { stdio: 'inherit', env });
  // This process stays as long as the server, beside the commands of its runs.
  hideEnvironment();
  // Ctrl-C reaches every process of a terminal by itself; passing it on would be a second one.
  const interrupt = (): unknown => process.stdin.isTTY || child.kill('SIGINT');
  const terminate = (): unknown => child.kill('SIGTERM');
  process.on('SIGINT', interrupt).on('SIGTERM', terminate).on('SIGHUP', terminate);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0 ? exitCodes.done : exitCodes.failed;
}

async function startDetached({ home, screen, json, surroundings }: Session, flags: string[]): Promise<ExitCode> {
  const record = await startServer(home, surroundings.env, flags);
  if (json) screen.json({ running: true, ...shown(record) });
  else screen.result(statusLines(record, true));
  return exitCodes.done;
}

/** Asks a server to end and waits for it; ends it by force when it takes too long. Never signals a stranger. */
async function stop({ pid, address }: ServerRecord, timeoutMs: number): Promise<void> {
  if (!(await answers(address))) {
    const message = `Process ${pid} is said to be the server, but ${address} does not answer.`;
    throw new CliError(message, exitCodes.failed, `If it is the server, end it with: kill ${pid}`);
  }
  process.kill(pid, 'SIGTERM');
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline;) {
    if (!isAlive(pid)) return;
    await sleep(LOOK_EVERY_MS);
  }
  process.kill(pid, 'SIGKILL');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What is printed lands in logs: where the database is, and not its password. */
function shown(record: ServerRecord): ServerRecord {
  const { database_url: url } = record;
  return { ...record, database_url: url && Object.assign(new URL(url), { password: '' }).href };
}

function statusLines(record: ServerRecord, healthy: boolean): string {
  const { pid, address, url, started_at, database_url } = shown(record);
  return [
    healthy ? 'running' : 'does not answer',
    `  process   ${pid}, since ${started_at}`,
    `  address   ${address}`,
    `  API       ${url}`,
    ...(database_url === null ? [] : [`  database  ${database_url}`]),
  ].join('\n');
}
