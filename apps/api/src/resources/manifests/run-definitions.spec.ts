import { describe, expect, it } from '@jest/globals';
import { allHandlers, HandlerTable } from '#libs/engine';
import { SimulatedModel } from '#libs/llm';
import type { RunManifestRequest } from './dto/run-manifest.js';
import { RunDefinitions } from './run-definitions.js';

const SERVER = {
  model: null,
  environment: 'local',
  environments: {},
  providers: ['local' as const],
  hooksReach: 'public' as const,
};

function manifest(source: string, more: Partial<RunManifestRequest> = {}): RunManifestRequest {
  const target = { identifier: 'release', path: 'flows/release/workflow.dot' };
  return { version: 1, cwd: '/work', target, workflows: { [target.path]: { source } }, ...more };
}

const chain = (goal: string, nodes = 1): string => {
  const ids = Array.from({ length: nodes }, (_, i) => `check${i}`);
  const texts = ids.map((id) => `${id} [shape=diamond, label="${'x'.repeat(200)}"]`);
  return `digraph Release { graph [goal="${goal}"] start [shape=Mdiamond] exit [shape=Msquare] ${texts.join(' ')}
    start -> ${ids.join(' -> ')} -> exit }`;
};

describe('a defined run', () => {
  const definitions = new RunDefinitions(new HandlerTable([]), SERVER);

  it('is made once of a manifest, and anew of one that says something else', () => {
    const first = definitions.of(manifest(chain('Ship')));
    expect(definitions.of(manifest(chain('Ship')))).toBe(first);
    const other = definitions.of(manifest(chain('Ship'), { goal: { type: 'value', text: 'Ship it' } }));
    expect([first.goal, other.goal]).toEqual(['Ship', 'Ship it']);
    expect(other.spec.sha256).not.toBe(first.spec.sha256);
  });

  it('names its workflow by the folder that holds it', () => {
    const { workflow } = definitions.of(manifest(chain('Ship')));
    expect(workflow).toMatchObject({ slug: 'release', graph_name: 'Release', node_count: 3, edge_count: 2 });
  });

  it('stands in run.created while it is small', () => {
    expect(definitions.of(manifest(chain('Ship'))).inlineSpec).toHaveProperty('workflow_source', chain('Ship'));
    expect(definitions.of(manifest(chain('Ship', 40))).inlineSpec).toEqual({});
  });

  it('is refused each time when its workflow is faulty', () => {
    const faulty = manifest('digraph { start [shape=Mdiamond] start -> nowhere');
    for (let i = 0; i < 2; i++) expect(() => definitions.of(faulty)).toThrow(/workflow\.dot/);
  });
});

describe('a run that asks a provider that is not there', () => {
  const definitions = new RunDefinitions(new HandlerTable(allHandlers(new SimulatedModel())), SERVER);
  const source = `digraph Ask { start [shape=Mdiamond] exit [shape=Msquare]
    count [prompt="How many?"] judge [shape=tab, prompt="Good?", provider=openai]
    start -> count -> judge -> exit }`;

  it('is refused with the node, the provider and the ways to name another one', () => {
    const creating = () => definitions.of(manifest(source));
    expect(creating).toThrow('The provider "anthropic" is not configured on this server; the node "count" asks it.');
    expect(creating).toThrow('The provider "openai" is not configured on this server; the node "judge" asks it.');
    for (const way of ['--provider simulated', '[run.model]', 'default_provider="simulated"']) {
      expect(creating).toThrow(way);
    }
  });

  it.each([{ provider: 'simulated' }, { dry_run: true }])('is created with %j', (args) => {
    expect(definitions.of(manifest(source, { args }))).toHaveProperty('spec');
  });

  it('names some of many nodes', () => {
    const ids = Array.from({ length: 30 }, (_, i) => `ask${i}`);
    const many = `${ids.map((id) => `${id} [prompt="Q"]`).join(' ')} start -> ${ids.join(' -> ')} -> exit`;
    const large = `digraph Ask { start [shape=Mdiamond] exit [shape=Msquare] ${many} }`;
    expect(() => definitions.of(manifest(large))).toThrow(/"ask19" and 10 more ask it/);
  });
});
