import type { PreflightCheckReport } from '../dto/preflight.js';
import type { PreflightCheck, PreflightSubject } from './check.js';
import { llm, modelFallbacks } from './models.js';
import { repository } from './repository.js';
import { settings } from './settings.js';
import { environmentCapabilities, sandbox, sandboxProviderPolicy } from './sandbox.js';
import { workflow } from './workflow.js';

/** All that is looked at, in the order it is shown. */
const CHECKS: readonly PreflightCheck[] = [
  repository,
  workflow,
  settings,
  sandboxProviderPolicy,
  environmentCapabilities,
  modelFallbacks,
  sandbox,
  llm,
];

export function preflight(subject: PreflightSubject): { ok: boolean; report: PreflightCheckReport } {
  const checks = CHECKS.map((check) => check(subject));
  return {
    ok: checks.every(({ status }) => status !== 'error'),
    report: { title: 'Preflight', sections: [{ title: '', checks }] },
  };
}
