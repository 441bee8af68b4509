import { describe, expect, it } from '@jest/globals';
import { allHandlers, HandlerTable } from '#libs/engine';
import { SimulatedModel } from '#libs/llm';
import { aManifest } from '../../../../../../test/support/api/samples.js';
import type { RunManifestRequest } from '../dto/run-manifest.js';
import type { WorkflowSettings } from '../dto/settings/workflow-settings.js';
import { compileManifest } from '../compile-manifest.js';
import { resolveSettings } from '../run-settings.js';
import type { PreflightCheckResult } from '../dto/preflight.js';
import { preflight } from './preflight.js';

type Run = WorkflowSettings['run'];

const GIT = {
  origin_url: 'https://host/a/b.git',
  branch: 'main',
  dirty: 'clean',
  push_outcome: { type: 'not_attempted' },
};
const local = { provider: 'local' as const, env: {}, labels: {} };
const DEFAULTS = {
  model: null,
  environment: 'default',
  environments: { default: local },
  providers: ['local' as const],
  hooksReach: 'public' as const,
};

interface Situation {
  nodes?: string;
  manifest?: Record<string, unknown>;
  /** Changes the settings that the manifest comes to. */
  settle?: (run: Run) => void;
}

/** What one check says about a workflow of these nodes, a line each and one after the other. */
function check(name: string, { nodes = '', manifest: changes = {}, settle }: Situation = {}): PreflightCheckResult {
  const ids = [...nodes.matchAll(/^(\w+) \[/gm)].map(([, id]) => id);
  const path = ['start', ...ids, 'exit'].join(' -> ');
  const source = `digraph Demo { start [shape=Mdiamond] exit [shape=Msquare] ${nodes} ${path} }`;
  const manifest = aManifest({ workflows: { 'demo.dot': { source } }, ...changes }) as unknown as RunManifestRequest;
  const settings = resolveSettings(manifest, DEFAULTS);
  settle?.(settings.run);
  const compiled = compileManifest(manifest, { settings, undefinedIs: 'error', effort: 'whole' });
  const subject = {
    manifest,
    compiled,
    settings,
    handlers: new HandlerTable(allHandlers(new SimulatedModel())),
    providers: DEFAULTS.providers,
    hooksReach: DEFAULTS.hooksReach,
  };
  return preflight(subject).report.sections[0]!.checks.find((one) => one.name === name)!;
}

const reasons = ({ details }: PreflightCheckResult): string[] =>
  details.filter(({ warn }) => warn).map(({ text }) => text);

describe('Repository', () => {
  const clones = (run: Run): void => {
    run.clone.enabled = true;
    run.environment.provider = 'docker';
  };

  it('is fine where the run works in place, whatever is not committed', () => {
    const found = check('Repository', { manifest: { git: { ...GIT, dirty: 'dirty' } } });
    expect(found).toMatchObject({ status: 'pass', summary: 'The run works on https://host/a/b.git at main.' });
    expect(found.details).toEqual([{ text: expect.stringContaining('not committed'), warn: false }]);
  });

  it.each([
    [{ dirty: 'clean' }, []],
    [{ dirty: 'dirty' }, ['There are changes that are not committed.']],
    [{ dirty: 'unknown' }, [expect.stringContaining('unknown')]],
    [{ push_outcome: { type: 'succeeded', remote: 'origin', branch: 'main' } }, []],
    [
      { push_outcome: { type: 'failed', remote: 'origin', branch: 'main', message: 'denied' } },
      ['The branch could not be pushed to origin: denied'],
    ],
    [{ push_outcome: { type: 'skipped_no_remote' } }, [expect.stringContaining('no remote')]],
    [
      { push_outcome: { type: 'skipped_remote_mismatch', remote: 'r', repo_origin_url: 'o' } },
      ['The branch was not pushed: r is not o.'],
    ],
  ])('of a sandbox that clones misses what was not pushed: %j', (git, expected) => {
    const found = check('Repository', { manifest: { git: { ...GIT, ...git } }, settle: clones });
    expect(reasons(found)).toEqual(expected);
    expect(found.status).toBe(expected.length > 0 ? 'warning' : 'pass');
  });
});

describe('Workflow', () => {
  it('names the nodes that nobody here executes', () => {
    const found = check('Workflow', { nodes: 'bot [prompt="Hi", backend=acp, acp.command="bot"]' });
    expect(found).toMatchObject({ status: 'error', details: [{ text: expect.stringContaining('backend=acp') }] });
  });

  it('repeats the warnings', () => {
    const found = check('Workflow', { nodes: 'a [shape=insulator, duration=1s, retry_target=gone]' });
    expect(found.status).toBe('warning');
    expect(reasons(found)).toEqual([expect.stringContaining('gone')]);
  });
});

describe('Sandbox Provider Policy', () => {
  it('refuses a provider that this server does not have', () => {
    const settle = (run: Run): void => void (run.environment.provider = 'cloud');
    expect(check('Sandbox Provider Policy', { settle })).toMatchObject({
      status: 'error',
      summary: expect.stringContaining('cloud'),
      remediation: 'Use an environment whose provider is local.',
    });
  });
});

describe('Environment Capabilities', () => {
  it.each<[Run['environment']['provider'], string[]]>([
    ['local', ['resources', 'labels', 'auto_stop']],
    ['docker', ['disk', 'labels', 'auto_stop', 'dockerfile', 'cwd']],
    ['cloud', ['cwd']],
  ])('warns about what sandboxes of %s do not know', (provider, ignored) => {
    const found = check('Environment Capabilities', {
      settle({ environment }) {
        environment.provider = provider;
        environment.resources = { cpu: 2, memory: '1GB', disk: '5GB' };
        environment.labels = { team: 'a' };
        environment.lifecycle.auto_stop = '5m';
        environment.image.dockerfile = { type: 'inline', value: 'FROM a' };
        environment.cwd = '/work';
      },
    });
    expect(found.status).toBe('warning');
    expect(reasons(found)).toEqual(ignored.map((hint) => `Sandboxes of ${provider} do not know ${hint}.`));
  });
});

describe('Sandbox', () => {
  it.each([
    ['/home/ada', 'pass'],
    ['project', 'error'],
  ])('in %s: %s', (cwd, status) => {
    expect(check('Sandbox', { manifest: { cwd } }).status).toBe(status);
  });
});

describe('Model Fallbacks', () => {
  it('warns about those that would be skipped', () => {
    const settle = (run: Run): void => void (run.model.fallbacks = ['simulated:a', 'openai:b']);
    const found = check('Model Fallbacks', { settle });
    expect(found.status).toBe('warning');
    expect(reasons(found)).toEqual([expect.stringMatching(/^openai:b: /)]);
  });
});

describe('LLM', () => {
  const AGENT = 'plan [prompt="Plan."]';

  it.each<[string, Situation, string[]]>([
    ['of a node', { nodes: 'plan [prompt="P", provider=anthropic]' }, ['anthropic is needed by plan.']],
    [
      'of the run, where nodes name none',
      { nodes: `${AGENT}\nask [shape=tab, prompt="Q"]`, manifest: { args: { provider: 'openai' } } },
      ['openai is needed by plan, ask.'],
    ],
    ['of the graph', { nodes: `default_provider=gemini\n${AGENT}` }, ['gemini is needed by plan.']],
    ['of a model', { nodes: AGENT, manifest: { args: { model: 'gpt-5.4' } } }, ['openai is needed by plan.']],
    [
      'of a node with a model that the provider of the run does not have',
      {
        nodes: 'plan [prompt="P", model="gpt-5.4"]',
        settle: (run) => void (run.model.provider = 'anthropic'),
      },
      ['openai is needed by plan.'],
    ],
    [
      'that was typed, before that of a node',
      { nodes: 'plan [prompt="P", provider=openai]', manifest: { args: { provider: 'anthropic' } } },
      ['anthropic is needed by plan.'],
    ],
    ['that everybody uses', { nodes: AGENT }, ['anthropic is needed by plan.']],
    ['that nobody knows', { nodes: 'plan [prompt="P", provider=acme]' }, ['acme is needed by plan.']],
    [
      'of a child workflow',
      {
        nodes:
          'run [shape=house, stack.child_dot_source="digraph C { start [shape=Mdiamond] exit [shape=Msquare] deep [prompt=p, provider=kimi] start -> deep -> exit }"]',
      },
      ['kimi is needed by deep.'],
    ],
  ])('names the provider %s that is not configured', (_, situation, expected) => {
    const found = check('LLM', situation);
    expect(found.status).toBe('error');
    expect(reasons(found)).toEqual(expected);
  });

  it.each<[string, Situation]>([
    ['no node asks a model', { nodes: 'a [shape=parallelogram, script="true"]' }],
    ['the model is simulated', { nodes: AGENT, manifest: { args: { provider: 'simulated' } } }],
    ['the run is a dry one', { nodes: AGENT, manifest: { args: { dry_run: true } } }],
    ['an agent brings its own backend', { nodes: 'plan [prompt="P", backend=acp, acp.command="agent"]' }],
  ])('is fine when %s', (_, situation) => {
    expect(check('LLM', situation).status).toBe('pass');
  });
});
