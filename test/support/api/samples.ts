import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { type Caller } from '../../../apps/api/src/edge/auth/caller.js';
import { type Role } from '../../../apps/api/src/edge/operations/roles.js';
import { type RunResponse } from '../../../apps/api/src/resources/runs/dto/run-response.js';

export const RUN_ID = '01K2ZP6Q8V9Y3T5N7M1R4S6X8B' as RunId;
export const OTHER_RUN_ID = '01K2ZP6Q8V9Y3T5N7M1R4S6X8C' as RunId;
export const TOKEN = `service_dev_${'a'.repeat(64)}`;

export function aCaller(role: Role = 'admin'): Caller {
  const identity = { issuer: 'service:dev', subject: 'dev' };
  return {
    tenantId: DEFAULT_TENANT,
    principal: { kind: 'user', identity, login: 'dev', auth_method: 'dev_token' },
    role,
  };
}

/** The smallest manifest that is valid. */
export function aManifest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    version: 1,
    cwd: '/home/ada/project',
    target: { identifier: 'demo', path: 'demo.dot' },
    workflows: { 'demo.dot': { source: 'digraph Demo { start -> exit }' } },
    ...changes,
  };
}

export function aRun(changes: Partial<RunResponse> = {}): RunResponse {
  return {
    id: RUN_ID,
    children_count: 0,
    title: 'Demo',
    goal: '',
    workflow: { slug: 'demo', name: null, graph_name: 'Demo', node_count: 2, edge_count: 1 },
    automation: null,
    repository: null,
    created_by: aCaller().principal,
    origin: { kind: 'api' },
    labels: {},
    lifecycle: {
      status: { kind: 'submitted' },
      approval: null,
      pending_control: null,
      queue_position: null,
      error: null,
      archived: false,
      archived_at: null,
    },
    sandbox: null,
    models: [],
    source_directory: null,
    timestamps: {
      created_at: '2026-03-01T09:14:07.312Z',
      started_at: null,
      last_event_at: null,
      completed_at: null,
    },
    timing: null,
    billing: null,
    size: 'XS',
    ask_service: { available: false, unavailable_reason: 'no_sandbox', default_model: null },
    diff: null,
    pull_request: null,
    current_question: null,
    superseded_by: null,
    retried_from: null,
    links: { web: null },
    ...changes,
  };
}
