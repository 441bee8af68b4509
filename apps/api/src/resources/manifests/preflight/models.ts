import { isConfigured, missingProviders, WAYS_TO_NAME_A_PROVIDER } from '../missing-providers.js';
import { modelQuestions } from '../model-questions.js';
import { result, type PreflightCheck } from './check.js';

export const modelFallbacks: PreflightCheck = ({ settings: { run } }) => {
  const name = 'Model Fallbacks';
  const { fallbacks } = run.model;
  const skipped = fallbacks.filter((fallback) => !isConfigured(fallback.split(':', 1)[0]!));
  if (skipped.length === 0) return result(name, 'pass', `Fallbacks: ${fallbacks.join(', ') || 'none'}.`);
  return result(name, 'warning', 'Some fallbacks would be skipped.', {
    reasons: skipped.map((fallback) => `${fallback}: its provider is not configured on this server.`),
  });
};

export const llm: PreflightCheck = ({ manifest, compiled: { graph }, settings: { run } }) => {
  const name = 'LLM';
  if (!graph) return result(name, 'warning', 'Not checked: the workflow has errors.');
  const questions = [...modelQuestions(graph, run.model, manifest.args ?? {})];
  if (questions.length === 0) return result(name, 'pass', 'No node asks a model.');
  if (run.execution.mode === 'dry_run') return result(name, 'pass', 'A dry run asks no model.');
  const missing = missingProviders(questions);
  const providers = [...new Set(questions.map(({ provider }) => provider))];
  if (missing.size === 0) return result(name, 'pass', `Configured: ${providers.join(', ')}.`);
  return result(name, 'error', `Not configured: ${[...missing.keys()].join(', ')}.`, {
    reasons: [...missing].map(([provider, nodes]) => `${provider} is needed by ${nodes.join(', ')}.`),
    remediation: WAYS_TO_NAME_A_PROVIDER,
  });
};
