import { assertNever } from '#libs/kernel';
import { rawAttributes } from './raw-attributes.js';
import { type DraftAttributes } from './draft-attribute.js';
import { type DraftNode } from './draft.js';
import { type Edge } from './edge.js';
import { fidelities } from './fidelity.js';
import { chooseKind, type HandlerKind } from './handler-kind.js';
import {
  type AgentBackend,
  type ChildWorkflow,
  type CommandNode,
  type FanInNode,
  type HumanNode,
  type ManagerLoopNode,
  type ModelSettings,
  type Node,
  type NodeCommon,
  type ParallelNode,
  type QuestionType,
  type StructuredAnswer,
} from './node.js';
import { QUESTION_TYPES, RETRY_POLICIES, SCRIPT_LANGUAGES, SELECTIONS } from './node-values.js';
import { setPresent } from './set-present.js';

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
      return { ...common, kind };
    case 'agent':
      return { ...withAnswer(common, attributes), kind, backend: backendOf(attributes) };
    case 'prompt':
      return { ...withAnswer(common, attributes), kind };
    case 'command':
      return buildCommand(common, attributes);
    case 'human':
      return buildHuman(common, attributes, outgoing);
    case 'parallel':
      return buildParallel(common, attributes);
    case 'parallel.fan_in':
      return buildFanIn(common, attributes);
    case 'wait':
      return { ...common, kind, durationMs: attributes.durationMs('duration') ?? 0 };
    case 'stack.manager_loop':
      return buildManagerLoop(common, attributes, child);
    default:
      return assertNever(kind);
  }
}

function buildCommon({ id, attributes, subgraphClasses, importClasses }: DraftNode, shape: string): NodeCommon {
  const common: NodeCommon = {
    id,
    label: attributes.text('label') ?? id,
    shape,
    classes: [...new Set([...(subgraphClasses ?? []), ...classNames(attributes), ...(importClasses ?? [])])],
    goalGate: attributes.flag('goal_gate') ?? false,
    autoStatus: attributes.flag('auto_status') ?? false,
    allowPartial: attributes.flag('allow_partial') ?? false,
    selection: attributes.oneOf('selection', SELECTIONS) ?? 'deterministic',
    rawAttributes: rawAttributes(attributes),
  };
  setPresent(common, 'timeoutMs', attributes.durationMs('timeout'));
  setPresent(common, 'maxVisits', atLeast(0, attributes.integer('max_visits')));
  setPresent(common, 'maxRetries', atLeast(0, attributes.integer('max_retries')));
  setPresent(common, 'retryPolicy', attributes.oneOf('retry_policy', RETRY_POLICIES));
  setPresent(common, 'retryTarget', attributes.words('retry_target'));
  setPresent(common, 'fallbackRetryTarget', attributes.words('fallback_retry_target'));
  setPresent(common, 'fidelity', attributes.oneOf('fidelity', fidelities));
  setPresent(common, 'threadId', attributes.words('thread_id'));
  return common;
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

function setModel(node: ModelSettings, attributes: DraftAttributes): void {
  setPresent(node, 'model', attributes.words('model'));
  setPresent(node, 'provider', attributes.words('provider'));
  setPresent(node, 'reasoningEffort', attributes.words('reasoning_effort'));
  setPresent(node, 'speed', attributes.words('speed'));
  const maxTokens = attributes.integer('max_tokens');
  setPresent(node, 'maxTokens', maxTokens !== undefined && maxTokens > 0 ? maxTokens : undefined);
}

function withAnswer(common: NodeCommon, attributes: DraftAttributes): NodeCommon & StructuredAnswer {
  const node: NodeCommon & StructuredAnswer = {
    ...common,
    prompt: attributes.words('prompt') ?? common.label,
    outputRetries: Math.max(0, attributes.integer('output_retries') ?? DEFAULT_OUTPUT_RETRIES),
    projectMemory: attributes.flag('project_memory') ?? true,
  };
  setModel(node, attributes);
  setPresent(node, 'outputSchema', attributes.words('output_schema'));
  return node;
}

function backendOf(attributes: DraftAttributes): AgentBackend {
  const command = attributes.words('acp.command');
  const config = attributes.words('acp.config');
  if (attributes.text('backend') !== 'acp') return { type: 'api' };
  if (command !== undefined) return { type: 'acp', start: 'command', command };
  return { type: 'acp', start: 'config', config: config ?? '' };
}

function buildCommand(common: NodeCommon, attributes: DraftAttributes): CommandNode {
  const node: CommandNode = {
    ...common,
    kind: 'command',
    script: attributes.text('script') ?? '',
    language: attributes.oneOf('language', SCRIPT_LANGUAGES) ?? 'shell',
    timeoutMs: attributes.durationMs('timeout') ?? DEFAULT_COMMAND_TIMEOUT_MS,
  };
  setPresent(node, 'outputSchema', attributes.words('output_schema'));
  setPresent(node, 'stdinSource', attributes.words('stdin_source'));
  return node;
}

function buildHuman(common: NodeCommon, attributes: DraftAttributes, outgoing: readonly Edge[]): HumanNode {
  const asksForTextOnly = outgoing.length > 0 && outgoing.every(({ freeform }) => freeform);
  const usual: QuestionType = asksForTextOnly ? 'freeform' : 'multiple_choice';
  const node: HumanNode = {
    ...common,
    kind: 'human',
    questionType: attributes.oneOf('question_type', QUESTION_TYPES) ?? usual,
    reviewTarget: attributes.flag('review_target') ?? false,
  };
  setPresent(node, 'defaultChoice', attributes.words('human.default_choice'));
  return node;
}

function buildParallel(common: NodeCommon, attributes: DraftAttributes): ParallelNode {
  const maxParallel = Math.max(1, attributes.integer('max_parallel') ?? DEFAULT_MAX_PARALLEL);
  const node: ParallelNode = { ...common, kind: 'parallel', maxParallel };
  setPresent(node, 'forEach', attributes.words('for_each'));
  return node;
}

function buildFanIn(common: NodeCommon, attributes: DraftAttributes): FanInNode {
  const node: FanInNode = { ...common, kind: 'parallel.fan_in' };
  setModel(node, attributes);
  setPresent(node, 'prompt', attributes.words('prompt'));
  return node;
}

function buildManagerLoop(
  common: NodeCommon,
  attributes: DraftAttributes,
  child: ChildWorkflow | undefined,
): ManagerLoopNode {
  const node: ManagerLoopNode = {
    ...common,
    kind: 'stack.manager_loop',
    child: child ?? { missing: attributes.words('stack.child_workflow') ?? '' },
    pollIntervalMs: attributes.durationMs('manager.poll_interval') ?? DEFAULT_POLL_INTERVAL_MS,
    maxCycles: Math.max(1, attributes.integer('manager.max_cycles') ?? DEFAULT_MAX_CYCLES),
  };
  setPresent(node, 'stopCondition', attributes.words('manager.stop_condition'));
  return node;
}

function atLeast(least: number, value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(least, value);
}
