import { assertNever } from '#libs/kernel';
import { rawAttributes } from './raw-attributes.js';
import { present } from './present.js';
import { type DraftAttributes } from './draft-attribute.js';
import { type DraftNode } from './draft.js';
import { type Edge } from './edge.js';
import { fidelities } from './fidelity.js';
import { chooseKind, type HandlerKind } from './handler-kind.js';
import { type AgentBackend, type ChildWorkflow, type Node, type NodeCommon, type QuestionType } from './node.js';
import { QUESTION_TYPES, RETRY_POLICIES, SCRIPT_LANGUAGES, SELECTIONS } from './node-values.js';

const DEFAULT_COMMAND_TIMEOUT_MS = 600_000;
const DEFAULT_OUTPUT_RETRIES = 2;
const DEFAULT_MAX_PARALLEL = 4;
const DEFAULT_POLL_INTERVAL_MS = 45_000;
const DEFAULT_MAX_CYCLES = 1_000;

/** What a node takes from the graph around it. */
export interface NodeSurroundings {
  /** They decide how a human gate asks. */
  outgoing: readonly Edge[];
  child: ChildWorkflow | undefined;
}

/** The node a draft describes. */
export function buildNode(draft: DraftNode, { outgoing, child }: NodeSurroundings): Node {
  const { attributes } = draft;
  const { kind, shape } = kindOf(draft);
  const common = buildCommon(draft, shape);
  switch (kind) {
    case 'start':
    case 'exit':
    case 'conditional':
      return { kind, ...common };
    case 'agent':
      return { kind, ...common, ...structuredAnswer(common.label, attributes), backend: backendOf(attributes) };
    case 'prompt':
      return { kind, ...common, ...structuredAnswer(common.label, attributes) };
    case 'command':
      return { kind, ...common, ...command(attributes) };
    case 'human':
      return { kind, ...common, ...human(attributes, outgoing) };
    case 'parallel':
      return { kind, ...common, ...parallel(attributes) };
    case 'parallel.fan_in':
      return { kind, ...common, ...modelSettings(attributes), ...present('prompt', attributes.words('prompt')) };
    case 'wait':
      return { kind, ...common, durationMs: attributes.durationMs('duration') ?? 0 };
    case 'stack.manager_loop':
      return { kind, ...common, ...managerLoop(attributes, child) };
    default:
      return assertNever(kind);
  }
}

function buildCommon({ id, attributes, subgraphClasses, importClasses }: DraftNode, shape: string): NodeCommon {
  return {
    id,
    label: attributes.text('label') ?? id,
    shape,
    classes: [...new Set([...(subgraphClasses ?? []), ...classNames(attributes), ...(importClasses ?? [])])],
    ...present('timeoutMs', attributes.durationMs('timeout')),
    ...present('maxVisits', atLeast(0, attributes.integer('max_visits'))),
    ...present('maxRetries', atLeast(0, attributes.integer('max_retries'))),
    ...present('retryPolicy', attributes.oneOf('retry_policy', RETRY_POLICIES)),
    ...present('retryTarget', attributes.words('retry_target')),
    ...present('fallbackRetryTarget', attributes.words('fallback_retry_target')),
    goalGate: attributes.flag('goal_gate') ?? false,
    autoStatus: attributes.flag('auto_status') ?? false,
    allowPartial: attributes.flag('allow_partial') ?? false,
    selection: attributes.oneOf('selection', SELECTIONS) ?? 'deterministic',
    ...present('fidelity', attributes.oneOf('fidelity', fidelities)),
    ...present('threadId', attributes.words('thread_id')),
    rawAttributes: rawAttributes(attributes),
  };
}

/** The names in a `class` attribute, in its order. */
export function classNames(attributes: DraftAttributes): string[] {
  return (
    attributes
      .text('class')
      ?.split(/[\s,]+/)
      .filter((name) => name !== '') ?? []
  );
}

/** What executes the node a draft describes, and the shape in force. */
export function kindOf({ id, attributes }: DraftNode): { kind: HandlerKind; shape: string } {
  return chooseKind({
    id,
    type: attributes.text('type'),
    shape: attributes.words('shape'),
    hasScript: attributes.get('script') !== undefined,
  });
}

function modelSettings(attributes: DraftAttributes) {
  const maxTokens = attributes.integer('max_tokens');
  return {
    ...present('model', attributes.words('model')),
    ...present('provider', attributes.words('provider')),
    ...present('reasoningEffort', attributes.words('reasoning_effort')),
    ...present('speed', attributes.words('speed')),
    ...present('maxTokens', maxTokens !== undefined && maxTokens > 0 ? maxTokens : undefined),
  };
}

function structuredAnswer(label: string, attributes: DraftAttributes) {
  return {
    ...modelSettings(attributes),
    prompt: attributes.words('prompt') ?? label,
    ...present('outputSchema', attributes.words('output_schema')),
    outputRetries: Math.max(0, attributes.integer('output_retries') ?? DEFAULT_OUTPUT_RETRIES),
    projectMemory: attributes.flag('project_memory') ?? true,
  };
}

function backendOf(attributes: DraftAttributes): AgentBackend {
  const command = attributes.words('acp.command');
  const config = attributes.words('acp.config');
  if (attributes.text('backend') !== 'acp') return { type: 'api' };
  if (command !== undefined) return { type: 'acp', start: 'command', command };
  return { type: 'acp', start: 'config', config: config ?? '' };
}

function command(attributes: DraftAttributes) {
  return {
    script: attributes.text('script') ?? '',
    language: attributes.oneOf('language', SCRIPT_LANGUAGES) ?? ('shell' as const),
    timeoutMs: attributes.durationMs('timeout') ?? DEFAULT_COMMAND_TIMEOUT_MS,
    ...present('outputSchema', attributes.words('output_schema')),
    ...present('stdinSource', attributes.words('stdin_source')),
  };
}

function human(attributes: DraftAttributes, outgoing: readonly Edge[]) {
  const asksForTextOnly = outgoing.length > 0 && outgoing.every(({ freeform }) => freeform);
  const usual: QuestionType = asksForTextOnly ? 'freeform' : 'multiple_choice';
  return {
    questionType: attributes.oneOf('question_type', QUESTION_TYPES) ?? usual,
    reviewTarget: attributes.flag('review_target') ?? false,
    ...present('defaultChoice', attributes.words('human.default_choice')),
  };
}

function parallel(attributes: DraftAttributes) {
  return {
    maxParallel: Math.max(1, attributes.integer('max_parallel') ?? DEFAULT_MAX_PARALLEL),
    ...present('forEach', attributes.words('for_each')),
  };
}

function managerLoop(attributes: DraftAttributes, child: ChildWorkflow | undefined) {
  return {
    child: child ?? { missing: attributes.words('stack.child_workflow') ?? '' },
    pollIntervalMs: attributes.durationMs('manager.poll_interval') ?? DEFAULT_POLL_INTERVAL_MS,
    maxCycles: Math.max(1, attributes.integer('manager.max_cycles') ?? DEFAULT_MAX_CYCLES),
    ...present('stopCondition', attributes.words('manager.stop_condition')),
  };
}

function atLeast(least: number, value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(least, value);
}
