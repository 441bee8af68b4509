import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { configuredBy } from '../../../test/support/variables-read.js';

interface Container {
  image: string;
  args: string[];
  env?: { name: string; value?: string }[];
  envFrom?: { secretRef?: { name: string } }[];
  ports?: { name: string }[];
  volumeMounts?: { name: string; mountPath: string }[];
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: unknown;
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  spec: {
    selector: { matchLabels: Record<string, string> };
    podSelector?: { matchLabels: Record<string, string> };
    ports?: { targetPort: string }[];
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        containers: [Container];
        volumes?: { name: string }[];
        securityContext: unknown;
        terminationGracePeriodSeconds?: number;
      };
    };
  };
}

const root = 'deploy/kubernetes';
const read = (folder: string): Manifest[] =>
  readdirSync(`${root}/${folder}`)
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .flatMap((file) =>
      parseAllDocuments(readFileSync(`${root}/${folder}/${file}`, 'utf8')).map(
        (document) => document.toJS() as Manifest,
      ),
    );
const base = read('base');
const all = [...base, ...read('migrate')];
const one = (kind: string, name: string): Manifest =>
  all.find((found) => found.kind === kind && found.metadata.name === name)!;
const secretsIn = (name: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(`${root}/overlays/example/${name}`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
const secrets: Record<string, Record<string, string>> = {
  runyard: secretsIn('secrets.example.env'),
  'runyard-api': secretsIn('secrets-api.example.env'),
};
/** What a deployment is given of the examples. */
const secretsOf = (name: string): Record<string, string> => {
  const { envFrom = [] } = one('Deployment', `runyard-${name}`).spec.template.spec.containers[0];
  return Object.fromEntries(envFrom.flatMap(({ secretRef }) => Object.entries(secrets[secretRef?.name ?? ''] ?? {})));
};
/** As somebody fills the examples in. */
const filledIn = (given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.replace('change-me', '5f0c7b1e')]));

describe('the Kubernetes manifests', () => {
  it.each(['base', 'migrate', 'components/keda'])('name every file of %s in its kustomization', (folder) => {
    const { resources } = parse(readFileSync(`${root}/${folder}/kustomization.yaml`, 'utf8')) as {
      resources: string[];
    };
    const files = readdirSync(`${root}/${folder}`).filter((file) => file !== 'kustomization.yaml');
    expect(resources.sort()).toEqual(files.sort());
  });

  it.each(['api', 'worker'])('let %s live, be ready and end as the server means it', (name) => {
    const { template, selector } = one('Deployment', `runyard-${name}`).spec;
    const { containers, terminationGracePeriodSeconds, volumes } = template.spec;
    const [container] = containers;
    expect(container.args).toEqual([name]);
    expect(container.startupProbe!.httpGet).toEqual({ path: '/health', port: 'operations' });
    expect(container.livenessProbe!.httpGet).toEqual({ path: '/health', port: 'operations' });
    expect(container.readinessProbe!.httpGet).toEqual({ path: '/ready', port: 'operations' });
    expect(terminationGracePeriodSeconds).toBeGreaterThan(name === 'worker' ? 25 + 15 : 5 + 15);
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(container.volumeMounts!.map((mount) => mount.name)).toEqual(volumes!.map((volume) => volume.name));
  });

  it.each(['api', 'worker'])('give %s no variable that nobody reads, and let it start', (name) => {
    const own = one('Deployment', `runyard-${name}`).spec.template.spec.containers[0].env!;
    const variables = { ...one('ConfigMap', 'runyard').data, ...filledIn(secretsOf(name)) };
    for (const { name: variable, value } of own) variables[variable] = value!;
    const { config, unread } = configuredBy(variables);
    expect(unread).toEqual([]);
    expect(config.operationsBinding?.port).toBe(9464);
    expect(config.databaseUrl).not.toBeNull();
  });

  it('give what opens the API to the API alone', () => {
    expect(secretsOf('api')).toHaveProperty('RUNYARD_DEV_TOKEN');
    expect(secretsOf('worker')).not.toHaveProperty('RUNYARD_DEV_TOKEN');
    expect(secretsOf('worker')).toHaveProperty('DATABASE_URL');
  });

  it.each(
    all
      .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
      .map((found) => [found.metadata.name, found] as const),
  )('let %s be nobody in particular, on a root that it cannot write to, within limits', (_name, { spec }) => {
    const { containers, securityContext } = spec.template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(containers[0].resources.requests).toHaveProperty('cpu');
    expect(containers[0].resources.limits).toHaveProperty('memory');
  });

  it('have an example whose secrets no server starts with, and which lets nobody in', () => {
    expect(() => configuredBy(secretsOf('api'))).toThrow(
      /DATABASE_URL and REDIS_URL and AWS_\w+ and AWS_\w+ still have/,
    );
    expect(secretsOf('api').RUNYARD_DEV_TOKEN).toBe('');
  });

  it('leave the version of the image to the overlay, which says one', () => {
    const pods = all.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
    expect(new Set(pods.map(({ spec }) => spec.template.spec.containers[0].image))).toEqual(new Set(['runyard']));
    const { images } = parse(readFileSync(`${root}/overlays/example/kustomization.yaml`, 'utf8')) as {
      images: { name: string; newTag: string }[];
    };
    expect(images).toEqual([expect.objectContaining({ name: 'runyard', newTag: expect.stringMatching(/^\d/) })]);
  });

  it('point budgets, policies and the service at pods that exist', () => {
    const labels = ['api', 'worker'].map((name) => one('Deployment', `runyard-${name}`).spec.template.metadata.labels);
    const pointing = base.filter(({ kind }) => ['PodDisruptionBudget', 'NetworkPolicy'].includes(kind));
    const pointedAt = pointing.map(({ spec }) => (spec.podSelector ?? spec.selector).matchLabels);
    for (const label of labels) expect(pointedAt.filter((each) => isDeepStrictEqual(each, label))).toHaveLength(2);
    const service = one('Service', 'runyard-api').spec;
    expect(service.selector).toEqual(labels[0]);
    const ports = one('Deployment', 'runyard-api').spec.template.spec.containers[0].ports!.map((port) => port.name);
    expect(ports).toContain(service.ports![0]!.targetPort);
  });
});
