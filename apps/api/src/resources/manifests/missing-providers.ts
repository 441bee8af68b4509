import { builtInCatalogue } from '#libs/models';
import type { ModelQuestion } from './model-questions.js';

/** This server keeps no credentials of providers: only one that answers by itself is configured. */
export function isConfigured(provider: string): boolean {
  return builtInCatalogue.provider(provider)?.adapter === 'simulated';
}

/** The providers that are asked and are not configured here, each with the nodes that ask it. */
export function missingProviders(questions: Iterable<ModelQuestion>): Map<string, string[]> {
  const missing = new Map<string, string[]>();
  for (const { provider, node } of questions) {
    if (isConfigured(provider)) continue;
    const nodes = missing.get(provider);
    if (nodes) nodes.push(node.id);
    else missing.set(provider, [node.id]);
  }
  return missing;
}

function configured(): string[] {
  return builtInCatalogue.providers.map(({ id }) => id).filter(isConfigured);
}

/** How a run is given a provider. */
export const WAYS_TO_NAME_A_PROVIDER =
  `Configured here: ${configured().join(', ')}. Type --provider simulated, which wins over all (args.provider of a ` +
  'manifest); or write provider = "simulated" under [run.model] of workflow.toml or .runyard/project.toml; or write ' +
  'default_provider="simulated" at the graph, or provider="simulated" at the node.';

/** Nodes that one sentence names. */
const MAX_NODES = 20;

/** Why a run cannot be created, and what to do about it; empty when every provider is there. */
export function providerFaults(questions: Iterable<ModelQuestion>): string[] {
  const faults = [...missingProviders(questions)].map(
    ([provider, nodes]) => `The provider "${provider}" is not configured on this server; ${askers(nodes)}.`,
  );
  return faults.length === 0 ? [] : [...faults, WAYS_TO_NAME_A_PROVIDER];
}

function askers(nodes: readonly string[]): string {
  const named = nodes.slice(0, MAX_NODES).map((id) => `"${id}"`);
  const more = nodes.length > MAX_NODES ? ` and ${nodes.length - MAX_NODES} more` : '';
  return nodes.length === 1 ? `the node ${named[0]!} asks it` : `the nodes ${named.join(', ')}${more} ask it`;
}
