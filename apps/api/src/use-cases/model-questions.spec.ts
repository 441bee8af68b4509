import { expect, it } from '@jest/globals';
import { compile } from '#libs/language';
import { assignModels } from './model-questions.js';

/** What the run's settings make of two prompts, the second of which says everything itself. */
function assigned(controls: { reasoning_effort: string | null; speed: string | null } | undefined) {
  const { graph } = compile(`digraph Spec {
    start [shape=Mdiamond] exit [shape=Msquare]
    plain [shape=tab, prompt="Q"] own [shape=tab, prompt="Q", reasoning_effort=low, speed=standard]
    start -> plain -> own -> exit
  }`);
  assignModels(graph!, { provider: 'simulated', name: null, fallbacks: [], ...(controls && { controls }) });
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
