import { asksModel } from '#libs/engine';
import { nearestName } from '#libs/kernel';
import type { Graph, Node } from '#libs/language';
import { builtInCatalogue } from '#libs/models';
import type { ManifestArgs } from './dto/manifest-parts.js';
import type { RunModelSettings } from './dto/settings/execution-settings.js';
import { quote } from '../../edge/schema/kind.js';

type Asker = Extract<Node, { kind: 'agent' | 'prompt' | 'parallel.fan_in' }>;

export interface ModelQuestion {
  node: Asker;
  /** Who is to answer: the id of a provider, or the name that nobody has. */
  provider: string;
  model: string;
}

/** What was typed for this one run; it wins over what the workflow itself names. */
export type TypedModel = Pick<ManifestArgs, 'model' | 'provider'>;

/** Every node that asks a model, those of child workflows included. */
export function* modelQuestions(graph: Graph, run: RunModelSettings, typed: TypedModel): Generator<ModelQuestion> {
  for (const node of graph.nodes) {
    if (node.kind === 'stack.manager_loop' && 'graph' in node.child) {
      yield* modelQuestions(node.child.graph, run, typed);
    }
    if (!asksModel(node)) continue;
    const asked = askedOf(node, typed);
    const provider = providerFor(asked, graph, run);
    yield { node, provider, model: modelFor(asked, provider, graph, run) };
  }
}

/** Names that the run's settings use and nobody has, one sentence each. */
export function unknownModelNames({ name, provider }: RunModelSettings): string[] {
  const faults: string[] = [];
  if (provider !== null && !builtInCatalogue.hasProvider(provider)) {
    faults.push(
      `run.model.provider: no provider is called ${quote(provider)}.${meant(provider, builtInCatalogue.providerNames())}`,
    );
  } else if (name !== null && !builtInCatalogue.hasModel(name)) {
    faults.push(`run.model.name: no model is called ${quote(name)}.${meant(name, builtInCatalogue.modelNames())}`);
  }
  return faults;
}

function meant(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** Writes into every node who answers it, and how: a later catalogue asks the same model. */
export function assignModels(graph: Graph, run: RunModelSettings, typed: TypedModel): void {
  for (const { node, provider, model } of modelQuestions(graph, run, typed)) {
    const reasoningEffort = node.reasoningEffort ?? run.controls?.reasoning_effort;
    const speed = node.speed ?? run.controls?.speed;
    Object.assign(node, { provider, model, ...(reasoningEffort && { reasoningEffort }), ...(speed && { speed }) });
  }
}

/** What one node names, after what was typed: a typed model keeps the node's provider only if that one has the model. */
function askedOf(node: Asker, typed: TypedModel): TypedModel {
  const { model = node.model, provider } = typed;
  const keepsProvider = typed.model === undefined || hasModel(typed.model, node.provider);
  const named = provider ?? (keepsProvider ? node.provider : undefined);
  return { ...(model !== undefined && { model }), ...(named !== undefined && { provider: named }) };
}

/** The provider of the run serves a node that names another model only if it has that model. */
function providerFor(asked: TypedModel, { attributes }: Graph, run: RunModelSettings): string {
  const ofRun = run.provider ?? attributes.defaultProvider;
  const model = asked.model ?? run.name ?? attributes.defaultModel;
  const named = asked.provider ?? (asked.model === undefined || hasModel(asked.model, ofRun) ? ofRun : undefined);
  if (named !== undefined) return builtInCatalogue.provider(named)?.id ?? named;
  const [best] = model === undefined ? [] : builtInCatalogue.meaningsOf(model);
  return best?.provider.id ?? ofRun ?? builtInCatalogue.usual(() => true)!.provider.id;
}

function hasModel(model: string, provider: string | undefined): boolean {
  return provider !== undefined && builtInCatalogue.hasModel(model, provider);
}

/** The model that is named, if its provider has it under that name or any; else the provider's default. */
function modelFor(asked: TypedModel, providerId: string, { attributes }: Graph, run: RunModelSettings): string {
  const provider = builtInCatalogue.provider(providerId);
  const named = [asked.model, run.name, attributes.defaultModel].find(
    (name) => typeof name === 'string' && builtInCatalogue.hasModel(name, providerId),
  );
  if (typeof named === 'string') return builtInCatalogue.model(named, providerId)?.slug ?? named;
  return (provider && builtInCatalogue.modelFor('default', provider)?.slug) ?? asked.model ?? '';
}
