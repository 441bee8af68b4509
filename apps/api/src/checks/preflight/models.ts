import type { Graph, Node } from '#libs/language';
import type { RunModelSettings } from '../../runs/dto/settings/execution-settings.js';
import { result, type PreflightCheck } from './check.js';

/** Answers by itself: the one provider that needs no credentials. Credentials of others are not kept here yet. */
const SIMULATED = 'simulated';

export const modelFallbacks: PreflightCheck = ({ settings: { run } }) => {
  const name = 'Model Fallbacks';
  const skipped = run.model.fallbacks.filter((fallback) => !fallback.startsWith(`${SIMULATED}:`));
  if (skipped.length === 0) return result(name, 'pass', `Fallbacks: ${run.model.fallbacks.join(', ') || 'none'}.`);
  return result(name, 'warning', 'Some fallbacks would be skipped.', {
    reasons: skipped.map((fallback) => `${fallback}: its provider is not configured on this server.`),
  });
};

export const llm: PreflightCheck = ({ compiled: { graph }, settings: { run } }) => {
  const name = 'LLM';
  if (!graph) return result(name, 'warning', 'Not checked: the workflow has errors.');
  const askers = new Map<string, string[]>();
  for (const { provider, nodeId } of questionsIn(graph, run.model)) {
    askers.set(provider, [...(askers.get(provider) ?? []), nodeId]);
  }
  if (askers.size === 0) return result(name, 'pass', 'No node asks a model.');
  if (run.execution.mode === 'dry_run') return result(name, 'pass', 'A dry run asks no model.');
  askers.delete(SIMULATED);
  if (askers.size === 0) return result(name, 'pass', 'All models are simulated.');
  return result(name, 'error', `Not configured: ${[...askers.keys()].join(', ')}.`, {
    reasons: [...askers].map(([provider, nodes]) => `${provider} is needed by ${nodes.join(', ')}.`),
    remediation: `Configure the provider on the server, or use "${SIMULATED}" or a dry run.`,
  });
};

interface Question {
  provider: string;
  nodeId: string;
}

/** Every node that asks a model, those of child workflows included, with the provider it asks. */
function* questionsIn(graph: Graph, run: RunModelSettings): Generator<Question> {
  const { defaultProvider, defaultModel } = graph.attributes;
  for (const node of graph.nodes) {
    if (node.kind === 'stack.manager_loop' && 'graph' in node.child) yield* questionsIn(node.child.graph, run);
    if (!asksModel(node)) continue;
    const model = node.model ?? run.name ?? defaultModel;
    const provider = node.provider ?? run.provider ?? defaultProvider;
    yield { provider: provider ?? (model ? `a provider of ${model}` : 'a default provider'), nodeId: node.id };
  }
}

type Asker = Extract<Node, { kind: 'agent' | 'prompt' | 'parallel.fan_in' }>;

function asksModel(node: Node): node is Asker {
  if (node.kind === 'agent') return node.backend.type === 'api';
  return node.kind === 'prompt' || (node.kind === 'parallel.fan_in' && node.prompt !== undefined);
}
