import { describe, expect, it } from '@jest/globals';
import { compile } from '#libs/language';
import type { RunModelSettings } from './dto/settings/execution-settings.js';
import { assignModels, modelQuestions, unknownModelNames, type TypedModel } from './model-questions.js';

/** What the run's settings make of two prompts, the second of which says everything itself. */
function assigned(controls: { reasoning_effort: string | null; speed: string | null } | undefined) {
  const { graph } = compile(`digraph Spec {
    start [shape=Mdiamond] exit [shape=Msquare]
    plain [shape=tab, prompt="Q"] own [shape=tab, prompt="Q", reasoning_effort=low, speed=standard]
    start -> plain -> own -> exit
  }`);
  assignModels(graph!, { provider: 'simulated', name: null, fallbacks: [], ...(controls && { controls }) }, {});
  const said = new Map(graph!.nodes.map((node) => [node.id, node]));
  return [said.get('plain'), said.get('own')];
}

it('the controls of the run are those of every node that has none of its own', () => {
  expect(assigned({ reasoning_effort: 'max', speed: 'fast' })).toMatchObject([
    { reasoningEffort: 'max', speed: 'fast' },
    { reasoningEffort: 'low', speed: 'standard' },
  ]);
});

it('a run without controls leaves them to whoever answers', () => {
  for (const controls of [undefined, { reasoning_effort: null, speed: null }]) {
    const [plain] = assigned(controls);
    expect(plain).not.toHaveProperty('reasoningEffort');
    expect(plain).not.toHaveProperty('speed');
  }
});

it('a name that nobody has is refused with the one that was meant', () => {
  const faults = (provider: string | null, name: string | null) => unknownModelNames({ provider, name, fallbacks: [] });
  expect(faults('antropic', null)).toEqual([
    'run.model.provider: no provider is called "antropic". Did you mean "anthropic"?',
  ]);
  expect(faults(null, 'simulatd')).toEqual([
    'run.model.name: no model is called "simulatd". Did you mean "simulated"?',
  ]);
  expect(faults(null, 'nobody-1')).toEqual(['run.model.name: no model is called "nobody-1".']);
  expect(faults('simulated', null)).toEqual([]);
});

describe('what is typed', () => {
  const UNSET = { provider: null, name: null, fallbacks: [] };
  const NODES = `plain [prompt="Q"] pinned [prompt="Q", provider=anthropic, model="claude-opus-5"]`;

  /** Who is asked for the node that names nothing, and for the one that names a provider and a model. */
  function asked(typed: TypedModel, run: RunModelSettings = UNSET): string[] {
    const { graph } = compile(`digraph Spec {
      start [shape=Mdiamond] exit [shape=Msquare] ${NODES} start -> plain -> pinned -> exit
    }`);
    return [...modelQuestions(graph!, run, typed)].map(({ provider, model }) => `${provider}:${model}`);
  }

  it('is the provider of every node, whatever the node names', () => {
    expect(asked({ provider: 'simulated' })).toEqual(['simulated:simulated', 'simulated:simulated']);
  });

  it('is the model of every node, which keeps its provider if that one has the model', () => {
    expect(asked({ model: 'claude-haiku-4-5' })).toEqual(['anthropic:claude-haiku-4-5', 'anthropic:claude-haiku-4-5']);
    expect(asked({ model: 'simulated' })).toEqual(['simulated:simulated', 'simulated:simulated']);
  });

  it('leaves a node its own model where the typed provider has it', () => {
    expect(asked({ provider: 'anthropic' })[1]).toBe('anthropic:claude-opus-5');
  });

  it('is stronger than the settings, which are weaker than the node', () => {
    const settings = { ...UNSET, provider: 'simulated', name: 'simulated' };
    expect(asked({}, settings)).toEqual(['simulated:simulated', 'anthropic:claude-opus-5']);
    expect(asked({ provider: 'anthropic' }, settings)[1]).toBe('anthropic:claude-opus-5');
  });
});
