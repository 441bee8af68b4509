import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aCaller, aManifest } from '../../../../../test/support/api/samples.js';
import { detailsOf, TestApp } from '../../../../../test/support/api/test-app.js';
import type { PreflightResponse } from './dto/preflight.js';
import type { ValidateResponse } from './dto/workflow-summary.js';

const SOUND = `digraph Demo {
  graph [goal="Try it."]
  start [shape=Mdiamond] exit [shape=Msquare]
  a [shape=insulator, duration=1s]
  start -> a -> exit
}`;
const BROKEN = SOUND.replace('a -> exit', 'a -> nowhere');

let api: TestApp;
beforeAll(async () => {
  api = await TestApp.open();
});
afterAll(() => api.close());

function manifest(source: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return aManifest({ workflows: { 'demo.dot': { source } }, ...changes });
}

async function asking<T>(path: string, body: unknown): Promise<T> {
  const answer = await api.send('POST', `/api/v1/${path}`, { body });
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return JSON.parse(answer.text) as T;
}

const validating = (body: unknown) => asking<ValidateResponse>('validate', body);
const preflighting = (body: unknown) => asking<PreflightResponse>('preflight', body);

describe('validating', () => {
  it('sums up a sound workflow', async () => {
    expect(await validating(manifest(SOUND))).toEqual({
      ok: true,
      workflow: { name: 'Demo', graph_path: 'demo.dot', nodes: 3, edges: 2, goal: 'Try it.', diagnostics: [] },
    });
  });

  it('says what is wrong, and where', async () => {
    const { ok, workflow } = await validating(manifest(BROKEN, { goal: { type: 'value', text: 'Mine.' } }));
    expect(ok).toBe(false);
    expect(workflow).toMatchObject({ name: 'Demo', nodes: 0, edges: 0, goal: 'Mine.' });
    expect(workflow.diagnostics[0]).toEqual({
      rule: 'edge_target_exists',
      severity: 'error',
      message: expect.stringContaining('nowhere'),
      node_id: null,
      edge: ['a', 'nowhere'],
      fix: expect.stringContaining('nowhere'),
      source_path: 'demo.dot',
      line: 5,
      column: 12,
      span_start: BROKEN.indexOf('a -> nowhere'),
      span_len: 'a -> nowhere'.length,
      range: {
        start: { line: 5, column: 12, offset: BROKEN.indexOf('a -> nowhere') },
        end: { line: 5, column: 24, offset: BROKEN.indexOf('a -> nowhere') + 12 },
      },
      related: [],
    });
  });

  it('names the file that is wrong', async () => {
    const files = {
      'parts/a.dot': { content: 'digraph A {\n  x [ }', ref: { type: 'import', original: 'parts/a.dot' } },
    };
    const source = SOUND.replace('shape=insulator, duration=1s', 'import="parts/a.dot"');
    const { workflow } = await validating(manifest(source, { workflows: { 'demo.dot': { source, files } } }));
    expect(workflow.diagnostics).toContainEqual(
      expect.objectContaining({ rule: 'syntax', source_path: 'parts/a.dot', line: 2 }),
    );
  });

  it('shows a thousand findings, errors first, and counts the rest', async () => {
    const warned = Array.from({ length: 1_200 }, (_, i) => `w${i}`).join(' ');
    const { workflow } = await validating(manifest(`${BROKEN.slice(0, -1)} ${warned} }`));
    expect(workflow.diagnostics).toHaveLength(1_000);
    expect(workflow.diagnostics.map(({ severity }) => severity).indexOf('error')).toBe(0);
    expect(workflow.diagnostics_left_out).toBeGreaterThan(200);
  });

  it.each([
    ['no manifest', {}, 'version is missing'],
    ['a target without a source', manifest(SOUND, { target: { identifier: 'x', path: 'x.dot' } }), 'target.path'],
    ['settings nobody has', manifest(SOUND, { args: { environment: 'mars' } }), 'mars'],
    [
      'two contents for one path',
      manifest(SOUND, {
        workflows: {
          'demo.dot': {
            source: SOUND,
            files: { './demo.dot': { content: 'x', ref: { type: 'import', original: 'demo.dot' } } },
          },
        },
      }),
      'two files for "demo.dot"',
    ],
  ])('refuses %s', async (_, body, detail) => {
    for (const path of ['validate', 'preflight']) {
      const answer = await api.send('POST', `/api/v1/${path}`, { body });
      expect(answer.status).toBe(400);
      expect(detailsOf(answer).join()).toContain(detail);
    }
  });
});

describe('a preflight', () => {
  it('passes what this server can execute', async () => {
    const { ok, workflow, checks } = await preflighting(manifest(SOUND));
    expect(ok).toBe(true);
    expect(workflow.nodes).toBe(3);
    expect(checks.title).toBe('Preflight');
    expect(checks.sections).toHaveLength(1);
    expect(checks.sections[0]!.checks.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      'Repository: pass',
      'Workflow: pass',
      'Settings: pass',
      'Sandbox Provider Policy: pass',
      'Environment Capabilities: pass',
      'Model Fallbacks: pass',
      'Sandbox: pass',
      'LLM: pass',
    ]);
  });

  it('does not pass a workflow with errors, and says them', async () => {
    const { ok, checks } = await preflighting(manifest(BROKEN));
    expect(ok).toBe(false);
    const workflow = checks.sections[0]!.checks.find(({ name }) => name === 'Workflow');
    expect(workflow).toMatchObject({
      status: 'error',
      details: [{ text: expect.stringMatching(/^demo\.dot:5:12 error/), warn: true }],
    });
  });
});

describe('drawing', () => {
  const drawing = (body: unknown) => api.send('POST', '/api/v1/graph/render', { body });

  it('gives an SVG that may do nothing but show itself', async () => {
    const { status, headers, text } = await drawing({ manifest: manifest(SOUND), format: 'svg', direction: 'lr' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('image/svg+xml');
    expect(headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'");
    expect(text).toContain('<title>Demo</title>');
    const size = /width="(\d+)pt" height="(\d+)pt"/.exec(text)!;
    expect(Number(size[1])).toBeGreaterThan(Number(size[2]));
  });

  it('refuses a workflow with errors, and says them', async () => {
    const answer = await drawing({ manifest: manifest(BROKEN) });
    expect(answer.status).toBe(400);
    expect(detailsOf(answer)).toEqual([expect.stringMatching(/^demo\.dot:5:12 error edge_target_exists [^]*\^{5}/)]);
  });

  it.each([
    ['another format', { format: 'png' }, 'format must be "svg"'],
    ['another direction', { direction: 'LR' }, 'direction must be one of lr, tb'],
    ['no manifest', { manifest: undefined }, 'manifest is missing'],
    ['a wrong manifest', { manifest: { version: 1 } }, 'manifest.target is missing'],
  ])('refuses %s', async (_, changes, detail) => {
    const answer = await drawing({ manifest: manifest(SOUND), ...changes });
    expect(answer.status).toBe(400);
    expect(detailsOf(answer).join()).toContain(detail);
  });

  it('refuses more than can be drawn', async () => {
    const ids = Array.from({ length: 2_000 }, (_, i) => `n${i} [shape=parallelogram, script="true"]`).join('\n');
    const chain = Array.from({ length: 2_000 }, (_, i) => `n${i}`).join(' -> ');
    const source = `digraph Long { start [shape=Mdiamond] exit [shape=Msquare] ${ids} start -> ${chain} -> exit }`;
    const answer = await drawing({ manifest: manifest(source) });
    expect(answer.status).toBe(413);
    expect(detailsOf(answer)).toEqual([expect.stringContaining('2002 nodes')]);
  });
});

it('lets everybody look, and those preflight who may start a run', async () => {
  const token = `service_dev_${'b'.repeat(64)}`;
  api.tokens.allow(token, aCaller('viewer'));
  const headers = { authorization: `Bearer ${token}` };
  const statuses = await Promise.all(
    ['validate', 'preflight'].map((path) => api.send('POST', `/api/v1/${path}`, { body: manifest(SOUND), headers })),
  );
  expect(statuses.map(({ status }) => status)).toEqual([200, 403]);
});
