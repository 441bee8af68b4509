import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { TcpProxy } from './tcp-proxy.js';

const NAME = 'runyard';

/** An object store that speaks S3, behind a proxy that takes it away. */
export class Bucket {
  private constructor(
    private readonly server: S3rver,
    private readonly directory: string,
    private readonly url: string,
    readonly proxy: TcpProxy,
  ) {}

  static async open(): Promise<Bucket> {
    const directory = await mkdtemp(join(tmpdir(), 'runyard-chaos-s3-'));
    const place = { port: 0, address: '127.0.0.1', silent: true, directory };
    const server = new S3rver({ ...place, configureBuckets: [{ name: NAME }] });
    const { port } = await server.run();
    const url = `http://127.0.0.1:${port}`;
    return new Bucket(server, directory, url, await TcpProxy.before(url));
  }

  /** How processes reach it. */
  get variables(): NodeJS.ProcessEnv {
    const endpoint = this.proxy.urlOf(this.url).replace(/\/$/, '');
    const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
    return { S3_BUCKET: NAME, S3_ENDPOINT: endpoint, ...credentials };
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.server.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
