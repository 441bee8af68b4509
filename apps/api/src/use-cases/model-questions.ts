import { asksModel } from '#libs/engine';
import type { Graph, Node } from '#libs/language';
import { builtInCatalogue } from '#libs/models';
import type { RunModelSettings } from '../runs/dto/settings/execution-settings.js';
import { quote } from '../schema/kind.js';

type Asker = Extract<Node, { kind: 'agent' | 'prompt' | 'parallel.fan_in' }>;

export interface ModelQuestion {
  node: Asker;
  /** Who is to answer: the id of a provider, or the name that nobody has. */
  provider: string;
  model: string;
}

/** Every node that asks a model, those of child workflows included. */
export function* modelQuestions(graph: Graph, run: RunModelSettings): Generator<ModelQuestion> {
  for (const node of graph.nodes) {
    if (node.kind === 'stack.manager_loop' && 'graph' in node.child) yield* modelQuestions(node.child.graph, run);
    if (!asksModel(node)) continue;
    const provider = providerFor(node, graph, run);
    yield { node, provider, model: modelFor(node, provider, graph, run) };
  }
}

/** Names that the run's settings use and nobody has, one sentence each. */
export function unknownModels({ name, provider }: RunModelSettings): string[] {
  const faults: string[] = [];
  if (provider !== null && !builtInCatalogue.hasProvider(provider)) {
    faults.push(`run.model.provider: no provider is called ${quote(provider)}.`);
  } else if (name !== null && !builtInCatalogue.hasModel(name)) {
    faults.push(`run.model.name: no model is called ${quote(name)}.`);
  }
  return faults;
}

/** Writes into every node who answers it, and how: a later catalogue asks the same model. */
export function assignModels(graph: Graph, run: RunModelSettings): void {
  for (const { node, provider, model } of modelQuestions(graph, run)) {
    const reasoningEffort = node.reasoningEffort ?? run.controls?.reasoning_effort;
    const speed = node.speed ?? run.controls?.speed;
    Object.assign(node, { provider, model, ...(reasoningEffort && { reasoningEffort }), ...(speed && { speed }) });
  }
}

/** The provider of the run serves a node that names another model only if it has that model. */
function providerFor(node: Asker, { attributes }: Graph, run: RunModelSettings): string {
  const ofRun = run.provider ?? attributes.defaultProvider;
  const model = node.model ?? run.name ?? attributes.defaultModel;
  const serves = node.model === undefined || (ofRun !== undefined && builtInCatalogue.hasModel(node.model, ofRun));
  const named = node.provider ?? (serves ? ofRun : undefined);
  if (named !== undefined) return builtInCatalogue.provider(named)?.id ?? named;
  const [best] = model === undefined ? [] : builtInCatalogue.meaningsOf(model);
  return best?.provider.id ?? ofRun ?? builtInCatalogue.usual(() => true)!.provider.id;
}

/** The model that is named, if its provider has it under that name or any; else the provider's default. */
function modelFor(node: Asker, providerId: string, { attributes }: Graph, run: RunModelSettings): string {
  const provider = builtInCatalogue.provider(providerId);
  const named = [node.model, run.name, attributes.defaultModel].find(
    (name) => typeof name === 'string' && builtInCatalogue.hasModel(name, providerId),
  );
  if (typeof named === 'string') return builtInCatalogue.model(named, providerId)?.slug ?? named;
  return (provider && builtInCatalogue.modelFor('default', provider)?.slug) ?? node.model ?? '';
}
