import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { holdsCluster } from '../../apps/standalone/src/data-directory.js';
import { EmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';

jest.setTimeout(60_000);

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

  async function answers({ connectionString }: EmbeddedPostgres): Promise<unknown> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query('SELECT 1 AS n');
    await client.end();
    return rows[0];
  }

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
