import { timingAt, type RunView, type StageView, stageWallTimeAt } from '#libs/events';
import type { ShownRun } from '#libs/persistence';
import type { RunResponse } from './dto/run-response.js';
import type { RunSandbox, SandboxProviderKind } from '../manifests/dto/run-sandbox.js';
import type { RunStageResponse, StageHandlerKind, StageModelUsage } from './dto/run-stage-response.js';

const MICROS = 1_000_000;

/** The public shape of a run, at a moment: a live run's times run on. */
export function runResponse({ view, childrenCount, queuePosition }: ShownRun, nowMs: number): RunResponse {
  const cost = view.billing?.total_usd_micros ?? null;
  return {
    id: view.id,
    parent_id: view.parent_id,
    children_count: childrenCount,
    title: view.title,
    goal: view.goal,
    workflow: view.workflow,
    automation: null,
    repository: repositoryOf(view),
    created_by: view.created_by,
    origin: { kind: 'api' },
    labels: view.labels,
    lifecycle: {
      status: view.status,
      approval: view.approval,
      pending_control: view.pending_control,
      queue_position: queuePosition,
      error: view.error,
      archived: view.archived_at !== null,
      archived_at: view.archived_at,
    },
    sandbox: sandboxOf(view),
    models: view.models.map(({ provider, model_id }) => ({ provider, name: model_id })),
    source_directory: view.source_directory,
    timestamps: view.timestamps,
    timing: timingAt(view, nowMs),
    billing: view.billing && { total_usd_micros: cost },
    size: sizeOf(cost),
    ask_service: { available: false, unavailable_reason: askRefusal(view), default_model: null },
    diff: null,
    pull_request: null,
    current_question: currentQuestion(view),
    superseded_by: view.superseded_by,
    retried_from: view.retried_from,
    links: { web: view.web_url },
  };
}

function currentQuestion({ questions: [first] }: RunView): RunResponse['current_question'] {
  return first ? { text: first.text } : null;
}

export function stageResponse(stage: StageView, nowMs: number): RunStageResponse {
  return {
    id: stage.id,
    name: stage.name,
    handler: stage.handler as StageHandlerKind,
    status: stage.status,
    wall_time_ms: stageWallTimeAt(stage, nowMs),
    node_id: stage.node_id,
    visit: stage.visit,
    graph_visit: stage.graph_visit,
    resumed_from_stage_id: stage.resumed_from_stage_id,
    ...(stage.branch && { parallel_group_id: stage.branch.group_id, parallel_branch_index: stage.branch.index }),
    provider_used: providerOf(stage),
    started_at: stage.started_at,
    billing: stage.billing,
  };
}

function providerOf({ handler, model }: StageView): StageModelUsage | null {
  if (!model) return null;
  return { mode: handler === 'agent' ? 'agent' : 'prompt', provider: model.provider, model: model.model_id };
}

function repositoryOf({ git }: RunView): RunResponse['repository'] {
  if (!git || git.origin_url === '') return null;
  const name = git.origin_url
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .slice(-2)
    .join('/');
  return { name, origin_url: git.origin_url, provider: 'git' };
}

function sandboxOf({ sandbox }: RunView): RunSandbox {
  const provider = sandbox.plan.provider as SandboxProviderKind;
  const plan = { provider, image: null, snapshot: null };
  switch (sandbox.kind) {
    case 'planned':
    case 'initializing':
      return { kind: sandbox.kind, plan };
    case 'failed':
      return { kind: 'failed', plan, failure: sandbox.failure };
    case 'ready': {
      const { id, working_directory, image } = sandbox.instance;
      const runtime = { id, working_directory, repo_cloned: false, clone_origin_url: null, clone_branch: null };
      return { kind: 'ready', plan, instance: { provider, image, snapshot: null, runtime } };
    }
  }
}

function sizeOf(micros: number | null): RunResponse['size'] {
  const dollars = (micros ?? 0) / MICROS;
  if (dollars <= 20) return 'XS';
  if (dollars <= 50) return 'S';
  if (dollars <= 100) return 'M';
  return dollars <= 200 ? 'L' : 'XL';
}

/** Why nobody can ask about this run: no sandbox was made, it is not ready, or no model is configured. */
function askRefusal({ sandbox }: RunView): 'no_sandbox' | 'sandbox_not_ready' | 'llm_unconfigured' {
  if (sandbox.kind === 'planned') return 'no_sandbox';
  return sandbox.kind === 'ready' ? 'llm_unconfigured' : 'sandbox_not_ready';
}
