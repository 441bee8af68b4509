import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runnersOf } from '../support/local-sandbox.js';
import { freePort } from '../support/postgres-server.js';
import { crew } from './crew.js';
import type { Member } from './member.js';
import { SideEffects } from './side-effects.js';
import type { SiteOptions } from './site-options.js';
import { Stores } from './stores.js';

/** Where what the processes said is kept, if anybody wants to read it. */
const LOGS = process.env.RUNYARD_CHAOS_LOGS;

interface Parts {
  stores: Stores;
  folder: string;
  limit: number;
  token: string;
  urls: readonly string[];
  effects: SideEffects;
  apis: readonly Member[];
  workers: readonly Member[];
  undo: (() => Promise<void>) | undefined;
}

/**
 * Several API and worker processes around a PostgreSQL and a Redis of their own, on one host. Nothing here survives
 * {@link close}.
 */
export class Site {
  private static readonly opened = new Set<Site>();

  private constructor(private readonly parts: Parts) {
    Site.opened.add(this);
  }

  /** For a program that is asked to end in the middle. */
  static async closeAll(): Promise<void> {
    await Promise.all([...Site.opened].map((site) => site.close()));
  }

  /** Prepares everything and starts nobody. */
  static async open(options: SiteOptions): Promise<Site> {
    const { apis = 2, slots = 4, limit = 10 } = options;
    const folder = await mkdtemp(join(tmpdir(), 'runyard-chaos-'));
    await chmod(folder, 0o755);
    await mkdir(workIn(folder));
    const token = `service_dev_${randomBytes(32).toString('hex')}`;
    const ports = await Promise.all(Array.from({ length: apis }, () => freePort()));
    const stores = await Stores.open(options);
    const { PATH, HOME, TMPDIR } = process.env;
    const variables = {
      ...{ PATH, HOME, TMPDIR },
      ...stores.variables,
      RUNYARD_HOME: homeIn(folder),
      RUNYARD_LOG: 'info',
      RUNYARD_SERVER_MAX_CONCURRENT_RUNS: String(limit),
      RUNYARD_WORKER_SLOTS: String(slots),
      RUNYARD_DEV_TOKEN: token,
      RUNYARD_STREAMS_PER_TOKEN: '1000',
    };
    return new Site({
      ...{ stores, folder, limit, token },
      ...crew(options, ports, variables),
      urls: ports.map((port) => `http://127.0.0.1:${port}`),
      effects: await SideEffects.in(join(folder, 'ledger')),
      undo: await options.prepare?.(homeIn(folder)),
    });
  }

  get stores(): Stores {
    return this.parts.stores;
  }

  /** Runs that may execute at once. */
  get limit(): number {
    return this.parts.limit;
  }

  /** Whoever shows it may do everything. */
  get token(): string {
    return this.parts.token;
  }

  /** The addresses of the API processes. */
  get urls(): readonly string[] {
    return this.parts.urls;
  }

  get effects(): SideEffects {
    return this.parts.effects;
  }

  get apis(): readonly Member[] {
    return this.parts.apis;
  }

  get workers(): readonly Member[] {
    return this.parts.workers;
  }

  get members(): readonly Member[] {
    return [...this.apis, ...this.workers];
  }

  /** The state directory of every process. */
  get home(): string {
    return homeIn(this.parts.folder);
  }

  /** Where commands work. */
  get directory(): string {
    return workIn(this.parts.folder);
  }

  /** Starts whoever does not live; the first API alone, since it migrates. */
  async start(): Promise<void> {
    await this.apis[0]!.start();
    await Promise.all(this.members.map((member) => member.start()));
  }

  /** Everything works again that proxies, signals and deaths had stopped. */
  async heal(): Promise<void> {
    this.stores.heal();
    for (const member of this.members) member.thaw();
    await this.start();
  }

  /** Processes that still work for this site beside its members: the runners. */
  runners(): Promise<number[]> {
    return runnersOf(this.home);
  }

  async close(): Promise<void> {
    if (!Site.opened.delete(this)) return;
    await Promise.all(this.members.map((member) => member.kill()));
    for (const pid of await this.runners()) endQuietly(pid);
    if (LOGS !== undefined) await this.keepLogs(join(LOGS, basename(this.parts.folder)));
    await this.stores.close();
    await this.parts.undo?.();
    await rm(this.parts.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  /** What everybody said, and the log of each run that did not succeed. */
  private async keepLogs(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const kept = this.members.map(({ name, output }) =>
      writeFile(join(folder, `${name.replace(' ', '-')}.log`), output),
    );
    await Promise.all(kept);
    const events = await this.stores.sql<{ line: string }>(
      `SELECT json_build_object('run', run_id, 'seq', seq, 'epoch', epoch, 'stored_at', stored_at, 'body', body)::text AS line
         FROM run_events JOIN run_heads USING (tenant_id, run_id)
        WHERE status <> 'succeeded' ORDER BY run_id, seq`,
    );
    await writeFile(join(folder, 'runs.jsonl'), events.map(({ line }) => `${line}\n`).join(''));
  }
}

function homeIn(folder: string): string {
  return join(folder, 'home');
}

function workIn(folder: string): string {
  return join(folder, 'work');
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
