import type { HooksReach } from '#libs/config';
import type { HandlerTable } from '#libs/engine';
import type { RunManifestRequest } from '../dto/run-manifest.js';
import type { SandboxProviderKind } from '../dto/run-sandbox.js';
import type { WorkflowSettings } from '../dto/settings/workflow-settings.js';
import type { CompiledManifest } from '../compile-manifest.js';
import type { PreflightStatus, PreflightCheckDetail, PreflightCheckResult } from '../dto/preflight.js';

/** What is checked, and what this server has to execute it with. */
export interface PreflightSubject {
  manifest: RunManifestRequest;
  compiled: CompiledManifest;
  settings: WorkflowSettings;
  handlers: HandlerTable;
  providers: readonly SandboxProviderKind[];
  hooksReach: HooksReach;
}

/** Looks at one side of a run that is to be; changes nothing. */
export type PreflightCheck = (subject: PreflightSubject) => PreflightCheckResult;

interface Findings {
  /** Facts for the reader. */
  notes?: readonly string[];
  /** Reasons for the status. */
  reasons?: readonly string[];
  remediation?: string;
}

const MAX_DETAILS = 20;

export function result(
  name: string,
  status: PreflightStatus,
  summary: string,
  { notes = [], reasons = [], remediation }: Findings = {},
): PreflightCheckResult {
  const details: PreflightCheckDetail[] = [
    ...reasons.map((text) => ({ text, warn: true })),
    ...notes.map((text) => ({ text, warn: false })),
  ];
  return { name, status, summary, details: details.slice(0, MAX_DETAILS), remediation: remediation ?? null };
}
