import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { configuredBy } from '../../../test/support/variables-read.js';

interface Service {
  image: string;
  /** Where it is made of, when it is ours. */
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
  deploy?: { resources?: { limits?: Record<string, string> } };
  ports?: string[];
  container_name?: string;
  depends_on?: Record<string, { condition: string }>;
}

/** Every variable of the file has to be given: this is what compose makes of `${NAME:?}` and `${NAME:-default}`. */
const secret = 'secret';
const text = readFileSync('docker-compose.yml', 'utf8').replace(
  /\$\{\w+(?::([?-])([^}]*))?\}/g,
  (_all, kind, rest: string) => (kind === '-' ? rest : secret),
);
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };

describe('docker-compose.yml', () => {
  it.each(Object.keys(services))('lets %s say how it does, ends it in time and limits it', (name) => {
    const { healthcheck, stop_grace_period, deploy } = services[name]!;
    expect(healthcheck?.test[0]).toBe('CMD');
    expect(stop_grace_period).toMatch(/^\d+s$/);
    expect(deploy?.resources?.limits).toEqual({ cpus: expect.any(String), memory: expect.any(String), ...pids(name) });
  });
  it.each(Object.values(services).filter(({ build }) => build === undefined))(
    'says which version of $image',
    ({ image }) => {
      expect(image).toMatch(/:(?!latest)[\w.-]+$/);
    },
  );

  const pids = (name: string) => (['api', 'worker'].includes(name) ? { pids: expect.any(Number) } : {});

  it.each(['api', 'worker'])(
    'gives %s one database, queue and place for objects, and no variable that nobody reads',
    (name) => {
      const { config, unread } = configuredBy(services[name]!.environment!);
      expect(unread).toEqual([]);
      expect(config).toMatchObject({
        databaseUrl: `postgresql://runyard:${secret}@postgres:5432/runyard`,
        redisUrl: `redis://:${secret}@redis:6379`,
        objects: { kind: 's3', bucket: 'runyard', endpoint: 'http://objects:8333' },
        operationsBinding: { host: '0.0.0.0', port: 9464 },
      });
      expect(Object.values(services[name]!.depends_on!)).toEqual(Array(3).fill({ condition: 'service_healthy' }));
    },
  );

  it('can have any number of workers, which get longer to end than a hand-over takes', () => {
    const { worker } = services;
    expect(worker).not.toHaveProperty('container_name');
    expect(worker).not.toHaveProperty('ports');
    expect(Number.parseInt(worker!.stop_grace_period!)).toBeGreaterThan(25);
  });

  it('lets the API listen beyond its container, for this machine only', () => {
    expect(configuredBy(services.api!.environment!).config.binding).toEqual({
      kind: 'tcp',
      host: '0.0.0.0',
      port: 3000,
    });
    expect(services.api!.ports).toEqual(['127.0.0.1:3000:3000']);
  });

  it('runs Redis as the server demands it', () => {
    const command = services.redis!.command!.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
  });

  it('asks for the secrets that its example names', () => {
    const given = readFileSync('deploy/compose.env.example', 'utf8').matchAll(/^(\w+)=/gm);
    const asked = readFileSync('docker-compose.yml', 'utf8').matchAll(/\$\{(\w+)/g);
    const names = (found: Iterable<RegExpMatchArray>) => [...new Set([...found].map(([, name]) => name))].sort();
    expect(names(given)).toEqual(names(asked));
  });
});
