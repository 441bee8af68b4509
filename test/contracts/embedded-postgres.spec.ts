import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { holdsCluster } from '../../apps/standalone/src/data-directory.js';
import { EmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';
import { postgresBinaries } from '../../apps/standalone/src/postgres-binaries.js';
import { postgresPlace } from '../../apps/standalone/src/postgres-place.js';
import { until } from '../support/until.js';

describe('The embedded PostgreSQL', () => {
  let home: string;
  let data: string;
  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'embedded-'));
    await chmod(home, 0o755);
    data = path.join(home, 'postgres');
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  /** As an initdb leaves it that is killed in the middle. */
  async function halfMade(directory: string): Promise<void> {
    await mkdir(path.join(directory, 'base', '1'), { recursive: true });
    await writeFile(path.join(directory, 'PG_VERSION'), '18\n');
    await writeFile(path.join(directory, 'postgresql.conf'), '');
  }

  async function answers({ connectionString }: { connectionString: string }): Promise<unknown> {
    return (await rowsOf({ connectionString }, 'SELECT 1 AS n'))[0];
  }

  async function rowsOf({ connectionString }: { connectionString: string }, text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  const pidOf = async (): Promise<number> =>
    Number((await readFile(path.join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);

  /** A cluster of a version before roles and passwords, and its server: the superuser comes in as it likes and owns all. */
  async function earlierCluster(): Promise<void> {
    const { binaries, owner } = await postgresPlace(data, await postgresBinaries());
    const as = { cwd: '/', env: { LC_ALL: 'C' }, stdio: 'ignore' as const, ...owner };
    spawnSync(
      binaries.initdb,
      ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--no-locale', '-E', 'UTF8'],
      as,
    );
    spawn(binaries.postgres, ['-D', data, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${data}`], as);
    const url = (database: string): { connectionString: string } => ({
      connectionString: `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(data)}`,
    });
    const answers = (): Promise<boolean> =>
      rowsOf(url('postgres'), 'SELECT 1').then(
        () => true,
        () => false,
      );
    await until(answers, 'the earlier server answers');
    await rowsOf(url('postgres'), 'CREATE DATABASE runyard');
    await rowsOf(url('runyard'), 'CREATE ROLE runyard_app NOLOGIN');
    await rowsOf(
      url('runyard'),
      `CREATE TABLE logs (id serial PRIMARY KEY, month date) ; INSERT INTO logs (month) VALUES ('2026-11-01');
       CREATE TABLE months (id int) PARTITION BY RANGE (id); CREATE TABLE months_1 PARTITION OF months FOR VALUES FROM (1) TO (2);
       CREATE FUNCTION add_log() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'INSERT INTO logs (month) VALUES (now())';
       GRANT EXECUTE ON FUNCTION add_log() TO runyard_app; GRANT SELECT ON logs TO runyard_app`,
    );
  }

  it.each([
    ['runs on', false],
    ['was stopped', true],
  ])('gives a cluster of before to a role that is no superuser, when its server %s', async (_how, isStopped) => {
    await earlierCluster();
    const earlier = await pidOf();
    if (isStopped) {
      process.kill(earlier, 'SIGINT');
      await until(
        () =>
          pidOf().then(
            () => false,
            () => true,
          ),
        'the earlier server is gone',
      );
    }
    const server = await EmbeddedPostgres.start(data, path.join(home, 'log'));
    try {
      expect(await pidOf()).not.toBe(earlier);
      const role = 'SELECT current_user AS name, rolsuper AS super FROM pg_roles WHERE rolname = current_user';
      expect(await rowsOf(server, role)).toEqual([{ name: 'runyard', super: false }]);
      await rowsOf(server, 'SET ROLE runyard_app; SELECT add_log()');
      expect(await rowsOf(server, 'SELECT count(*)::int AS n FROM logs')).toEqual([{ n: 2 }]);
      await rowsOf(server, 'ALTER TABLE months ADD more int; DROP TABLE months, logs; DROP FUNCTION add_log');
      const asBefore = server.connectionString.replace(/\/\/[^@]*@/, '//postgres@');
      await expect(rowsOf({ connectionString: asBefore }, 'SELECT 1')).rejects.toMatchObject({ code: '28000' });
    } finally {
      await server.stop();
    }
  });

  it('is adopted where it runs, and only by what it recorded itself', async () => {
    const first = await EmbeddedPostgres.start(data, path.join(home, 'log'));
    const pid = await pidOf();
    const second = await EmbeddedPostgres.start(data, path.join(home, 'log'));
    expect(second.connectionString).toBe(first.connectionString);
    expect(await pidOf()).toBe(pid);

    const socket = new URL(first.connectionString).searchParams.get('host')!;
    await chmod(socket, 0o755);
    await expect(EmbeddedPostgres.start(data, path.join(home, 'log'))).rejects.toMatchObject({
      code: 'folder_not_private',
      message: expect.stringContaining(`${socket} may be entered by others`),
    });
    await chmod(socket, 0o700);
    await first.stop();
  });

  it('gets a new password where the one that was kept is lost or wrong', async () => {
    await (await EmbeddedPostgres.start(data, path.join(home, 'log'))).stop();
    const secret = path.join(home, 'database.secret');
    await writeFile(secret, 'another');
    await writeFile(path.join(data, 'pg_hba.conf'), 'local all all trust'); // As somebody may, who needs an earlier version.
    const second = await EmbeddedPostgres.start(data, path.join(home, 'log'));
    expect(await answers(second)).toEqual({ n: 1 });
    await rm(secret);
    const third = await EmbeddedPostgres.start(data, path.join(home, 'log'));
    expect(await answers(third)).toEqual({ n: 1 });
    await expect(answers(second)).rejects.toMatchObject({ code: '28P01' });
    await third.stop();
  });

  it('starts where an earlier first start was killed in the middle', async () => {
    await halfMade(data);
    await halfMade(`${data}.unfinished-by-another`);
    const server = await EmbeddedPostgres.start(data, path.join(home, 'log'));
    expect(await answers(server)).toEqual({ n: 1 });
    await server.stop();
    expect(await holdsCluster(data)).toBe(true);
    expect((await readdir(home)).filter((name) => name.includes('another'))).toEqual([]);
  });

  it('makes its cluster once, and leaves nothing beside it', async () => {
    const first = await EmbeddedPostgres.start(data, path.join(home, 'log'));
    const client = new pg.Client({ connectionString: first.connectionString });
    await client.connect();
    await client.query('CREATE TABLE kept ()');
    await client.end();
    await first.stop();
    const again = await EmbeddedPostgres.start(data, path.join(home, 'log'));
    expect(await answers(again)).toEqual({ n: 1 });
    const second = new pg.Client({ connectionString: again.connectionString });
    await second.connect();
    await second.query('SELECT FROM kept');
    await second.end();
    await again.stop();
    expect((await readdir(home)).filter((name) => name.startsWith('postgres.'))).toEqual([]);
  });

  it('takes a restored backup for a cluster, though no server was started on it', async () => {
    await halfMade(data);
    expect(await holdsCluster(data)).toBe(false);
    await mkdir(path.join(data, 'base', '16384'));
    expect(await holdsCluster(data)).toBe(true);
  });
});
