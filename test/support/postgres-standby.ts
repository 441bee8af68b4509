import { execFile } from 'node:child_process';
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startPostgres, type PostgresServer } from './postgres-server.js';
import { until } from './until.js';

const run = promisify(execFile);

/** A server that follows another one's write-ahead log, asynchronously, and may take its place. */
export interface Standby extends PostgresServer {
  /** Resolves when it has replayed everything that the primary has written by now. */
  catchUp(): Promise<void>;
  /** Hears of nothing more that the primary writes: the tail that a promotion loses. */
  fallBehind(): Promise<void>;
  /** Becomes a primary of its own, on the next timeline. The old one goes on unless somebody ends it. */
  promote(): Promise<void>;
}

/** A standby of a running server: its base backup, streaming from then on. It answers reads at once. */
export async function startStandbyOf(primary: PostgresServer): Promise<Standby> {
  const server = await startPostgres({ fill: (directory) => copyInto(directory, primary) });
  return {
    ...server,
    async catchUp() {
      const [written] = await rowsOf<{ lsn: string }>(primary, 'SELECT pg_current_wal_lsn()::text AS lsn');
      const isThere = async (): Promise<boolean> => {
        const [row] = await rowsOf<{ there: boolean }>(server, `SELECT pg_last_wal_replay_lsn() >= $1 AS there`, [
          written!.lsn,
        ]);
        return row!.there;
      };
      await until(isThere, 'the standby has replayed what the primary wrote', 20_000);
    },
    async fallBehind() {
      await rowsOf(server, "ALTER SYSTEM SET primary_conninfo = ''");
      await rowsOf(server, 'SELECT pg_reload_conf()');
      const isAlone = async (): Promise<boolean> =>
        (await rowsOf(server, 'SELECT FROM pg_stat_wal_receiver')).length === 0;
      await until(isAlone, 'the standby hears nothing more', 20_000);
    },
    async promote() {
      await rowsOf(server, 'SELECT pg_promote(true, 20)');
    },
  };
}

async function copyInto(directory: string, primary: PostgresServer): Promise<void> {
  const session = new pg.Client({ connectionString: primary.connectionString });
  await session.connect();
  try {
    await session.query("SELECT pg_create_physical_replication_slot('standby', true)");
    await session.query("SELECT pg_backup_start('standby', true)");
    await run('cp', ['-a', `${primary.dataDirectory}/.`, directory]).catch(onlyVanished);
    const { rows } = await session.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await rm(path.join(directory, 'postmaster.pid'), { force: true });
    await run('sh', ['-c', 'rm -rf "$0"/pg_wal/* "$0"/pg_replslot/*', directory]);
    await writeFile(path.join(directory, 'backup_label'), rows[0]!.labelfile);
    await writeFile(path.join(directory, 'standby.signal'), '');
    const { hostname, port, username, password } = new URL(primary.connectionString);
    const conninfo = `host=${hostname} port=${port} user=${username} password=${password}`;
    const settings = `primary_conninfo = '${conninfo}'\nprimary_slot_name = 'standby'\n`;
    await appendFile(path.join(directory, 'postgresql.auto.conf'), settings);
    const { uid, gid } = await stat(primary.dataDirectory);
    for (const name of ['backup_label', 'standby.signal']) await chown(path.join(directory, name), uid, gid);
  } finally {
    await session.end();
  }
}

/** Files that the running primary removed meanwhile are none of a backup's. */
function onlyVanished(thrown: { stderr?: string }): void {
  const lines = (thrown.stderr ?? '').trim().split('\n');
  if (!lines.every((line) => line.includes('No such file'))) throw thrown as Error;
}

async function rowsOf<Row extends object>(
  server: PostgresServer,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
