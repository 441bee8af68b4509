import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { homeOf } from './home.js';
import { serverConfig } from './server-config.js';
import { parseSettings } from './settings.js';

interface Compose {
  services: Record<string, { command?: string[]; environment?: Record<string, string> }>;
}

describe('docker-compose.yml', () => {
  const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
  const configOf = (service: string) => {
    const env = { RUNYARD_HOME: '/data', ...services[service]?.environment };
    return serverConfig(homeOf(env), parseSettings('', 'defaults'), env);
  };

  it('gives api and worker the same database, queue and objects', () => {
    for (const service of ['api', 'worker']) {
      const { databaseUrl, redisUrl, objects } = configOf(service);
      expect(databaseUrl).toBe('postgresql://runyard:runyard@postgres:5432/runyard');
      expect(redisUrl).toBe('redis://redis:6379');
      expect(objects).toEqual({
        kind: 's3',
        bucket: 'runyard',
        region: 'us-east-1',
        endpoint: 'http://minio:9000',
        prefix: '',
      });
    }
  });

  /** The SDK of S3 reads its credentials itself; the API's own main reads the token. */
  const readElsewhere = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'RUNYARD_DEV_TOKEN'];

  it.each(['api', 'worker'])('gives %s no variable that nobody reads', (service) => {
    const given = services[service]?.environment ?? {};
    const read = new Set<string | symbol>(readElsewhere);
    const env = new Proxy(given, {
      get(target, name) {
        read.add(name);
        return Reflect.get(target, name) as string | undefined;
      },
    });
    serverConfig(homeOf(env), parseSettings('', 'defaults'), env);
    expect(Object.keys(given).filter((name) => !read.has(name))).toEqual([]);
  });

  it('lets the API listen beyond its container', () => {
    expect(configOf('api').binding).toEqual({ kind: 'tcp', host: '0.0.0.0', port: 3000 });
  });

  it('runs Redis as the server demands it', () => {
    expect(services.redis?.command).toEqual([
      'redis-server',
      '--appendonly',
      'yes',
      '--maxmemory-policy',
      'noeviction',
    ]);
  });
});
