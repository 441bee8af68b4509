import type { Graph, Node } from '#libs/language';
import { builtInCatalogue } from '#libs/models';
import type { RunModelSettings } from '../../runs/dto/settings/execution-settings.js';

export interface Question {
  nodeId: string;
  /** Who is to answer: the id of a provider, or the name that nobody has. */
  provider: string;
}

/** Every node that asks a model, those of child workflows included. */
export function* questionsIn(graph: Graph, run: RunModelSettings): Generator<Question> {
  for (const node of graph.nodes) {
    if (node.kind === 'stack.manager_loop' && 'graph' in node.child) yield* questionsIn(node.child.graph, run);
    if (asksModel(node)) yield { nodeId: node.id, provider: providerFor(node, graph, run) };
  }
}

type Asker = Extract<Node, { kind: 'agent' | 'prompt' | 'parallel.fan_in' }>;

function asksModel(node: Node): node is Asker {
  if (node.kind === 'agent') return node.backend.type === 'api';
  return node.kind === 'prompt' || (node.kind === 'parallel.fan_in' && node.prompt !== undefined);
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
