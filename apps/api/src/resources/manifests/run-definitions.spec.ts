import { describe, expect, it } from '@jest/globals';
import { allHandlers, HandlerTable } from '#libs/engine';
import type { TenantId } from '#libs/kernel';
import { SimulatedModel } from '#libs/llm';
import type { RunManifestRequest } from './dto/run-manifest.js';
import { Compiling } from './compiling/compiling.js';
import { compilingFromSource } from '../../../../../test/support/program-from-source.js';
import { definitionTasks } from './definition-tasks.js';
import { RunDefinitions } from './run-definitions.js';

const SERVER = {
  model: null,
  environment: 'local',
  environments: {},
  providers: ['local' as const],
  hooksReach: 'public' as const,
};

const definitionsOf = (handlers: HandlerTable): RunDefinitions =>
  new RunDefinitions(new Compiling(definitionTasks(handlers), SERVER, compilingFromSource()));

const made = (definitions: RunDefinitions, request: RunManifestRequest) => definitions.of(request, 'acme' as TenantId);

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
  const definitions = definitionsOf(new HandlerTable([]));

  it('is made once of a manifest, and again of one that says something else', async () => {
    const [first, beside] = await Promise.all([1, 2].map(() => made(definitions, manifest(chain('Ship')))));
    expect([beside, await made(definitions, manifest(chain('Ship')))]).toEqual([first, first]);
    expect(beside).toBe(first);
    const other = await made(definitions, manifest(chain('Ship'), { goal: { type: 'value', text: 'Ship it' } }));
    expect([first!.goal, other.goal]).toEqual(['Ship', 'Ship it']);
    expect(other.spec.sha256).not.toBe(first!.spec.sha256);
  });

  it('names its workflow by the folder that holds it', async () => {
    const { workflow } = await made(definitions, manifest(chain('Ship')));
    expect(workflow).toMatchObject({ slug: 'release', graph_name: 'Release', node_count: 3, edge_count: 2 });
  });

  it('stands in run.created while it is small', async () => {
    expect((await made(definitions, manifest(chain('Ship')))).inlineSpec).toHaveProperty(
      'workflow_source',
      chain('Ship'),
    );
    expect((await made(definitions, manifest(chain('Ship', 40)))).inlineSpec).toEqual({});
  });

  it('is refused each time when its workflow is faulty', async () => {
    const faulty = manifest('digraph { start [shape=Mdiamond] start -> nowhere');
    for (let i = 0; i < 2; i++) await expect(made(definitions, faulty)).rejects.toThrow(/workflow\.dot/);
  });
});

describe('a run that asks a provider that is not there', () => {
  const definitions = definitionsOf(new HandlerTable(allHandlers(new SimulatedModel())));
  const source = `digraph Ask { start [shape=Mdiamond] exit [shape=Msquare]
    count [prompt="How many?"] judge [shape=tab, prompt="Good?", provider=openai]
    start -> count -> judge -> exit }`;

  it('is refused with the node, the provider and the ways to name another one', async () => {
    const creating = () => made(definitions, manifest(source));
    await expect(creating()).rejects.toThrow(
      'The provider "anthropic" is not configured on this server; the node "count" asks it.',
    );
    await expect(creating()).rejects.toThrow(
      'The provider "openai" is not configured on this server; the node "judge" asks it.',
    );
    for (const way of ['--provider simulated', '[run.model]', 'default_provider="simulated"']) {
      await expect(creating()).rejects.toThrow(way);
    }
  });

  it.each([{ provider: 'simulated' }, { dry_run: true }])('is created with %j', async (args) => {
    expect(await made(definitions, manifest(source, { args }))).toHaveProperty('spec');
  });

  it('names some of many nodes', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `ask${i}`);
    const many = `${ids.map((id) => `${id} [prompt="Q"]`).join(' ')} start -> ${ids.join(' -> ')} -> exit`;
    const large = `digraph Ask { start [shape=Mdiamond] exit [shape=Msquare] ${many} }`;
    await expect(made(definitions, manifest(large))).rejects.toThrow(/"ask19" and 10 more ask it/);
  });
});
