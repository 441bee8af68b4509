import { builtInCatalogue } from '#libs/models';
import { result, type PreflightCheck } from './check.js';
import { modelQuestions } from '../../use-cases/model-questions.js';

/** This server keeps no credentials of providers: only one that answers by itself is configured. */
function isConfigured(provider: string): boolean {
  return builtInCatalogue.provider(provider)?.adapter === 'simulated';
}

export const modelFallbacks: PreflightCheck = ({ settings: { run } }) => {
  const name = 'Model Fallbacks';
  const { fallbacks } = run.model;
  const skipped = fallbacks.filter((fallback) => !isConfigured(fallback.split(':', 1)[0]!));
  if (skipped.length === 0) return result(name, 'pass', `Fallbacks: ${fallbacks.join(', ') || 'none'}.`);
  return result(name, 'warning', 'Some fallbacks would be skipped.', {
    reasons: skipped.map((fallback) => `${fallback}: its provider is not configured on this server.`),
  });
};

export const llm: PreflightCheck = ({ compiled: { graph }, settings: { run } }) => {
  const name = 'LLM';
  if (!graph) return result(name, 'warning', 'Not checked: the workflow has errors.');
  const nodesOf = new Map<string, string[]>();
  for (const {
    provider,
    node: { id: nodeId },
  } of modelQuestions(graph, run.model)) {
    const nodes = nodesOf.get(provider);
    if (nodes) nodes.push(nodeId);
    else nodesOf.set(provider, [nodeId]);
  }
  if (nodesOf.size === 0) return result(name, 'pass', 'No node asks a model.');
  if (run.execution.mode === 'dry_run') return result(name, 'pass', 'A dry run asks no model.');
  const missing = [...nodesOf].filter(([provider]) => !isConfigured(provider));
  if (missing.length === 0) return result(name, 'pass', `Configured: ${[...nodesOf.keys()].join(', ')}.`);
  return result(name, 'error', `Not configured: ${missing.map(([provider]) => provider).join(', ')}.`, {
    reasons: missing.map(([provider, nodes]) => `${provider} is needed by ${nodes.join(', ')}.`),
    remediation: 'Configure the provider on the server, or use the provider "simulated" or a dry run.',
  });
};
