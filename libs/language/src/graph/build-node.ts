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
  type HumanNode,
  type ManagerLoopNode,
  type ModelSettings,
  type Node,
  type NodeCommon,
  type QuestionType,
  type StructuredAnswer,
} from './graph.js';
import { QUESTION_TYPES, RETRY_POLICIES, SCRIPT_LANGUAGES, SELECTIONS } from './node-values.js';
import { setPresent } from './set-present.js';

const DEFAULT_COMMAND_TIMEOUT_MS = 600_000;
const DEFAULT_OUTPUT_RETRIES = 2;
const DEFAULT_MAX_PARALLEL = 4;
const DEFAULT_POLL_INTERVAL_MS = 45_000;
const DEFAULT_MAX_CYCLES = 1_000;

/** The edges that leave a node: they decide how a human gate asks. */
type Outgoing = (id: string) => readonly Edge[];

/** The node a draft describes. `child` is what it runs, when it is a manager loop. */
export function buildNode(draft: DraftNode, outgoing: Outgoing, child: ChildWorkflow | undefined): Node {
  const { attributes } = draft;
  // The fields of its kind follow at once, into the same object: copying it took longer than reading the source.
  const node = buildCommon(draft) as Node;
  switch (node.kind) {
    case 'start':
    case 'exit':
    case 'conditional':
      break;
    case 'agent':
      completeAnswer(node, attributes);
      node.backend = backendOf(attributes);
      break;
    case 'prompt':
      completeAnswer(node, attributes);
      break;
    case 'command':
      completeCommand(node, attributes);
      break;
    case 'human':
      completeHuman(node, attributes, outgoing(node.id));
      break;
    case 'parallel':
      node.maxParallel = Math.max(1, attributes.integer('max_parallel') ?? DEFAULT_MAX_PARALLEL);
      setPresent(node, 'forEach', attributes.words('for_each'));
      break;
    case 'parallel.fan_in':
      completeModel(node, attributes);
      setPresent(node, 'prompt', attributes.words('prompt'));
      break;
    case 'wait':
      node.durationMs = attributes.durationMs('duration') ?? 0;
      break;
    case 'stack.manager_loop':
      completeManagerLoop(node, attributes, child);
      break;
    default:
      return assertNever(node);
  }
  return node;
}

function buildCommon(draft: DraftNode): NodeCommon & { kind: HandlerKind } {
  const { id, attributes } = draft;
  const { kind, shape } = kindOf(draft);
  const common: NodeCommon & { kind: HandlerKind } = {
    kind,
    id,
    label: attributes.text('label') ?? id,
    shape,
    classes: classesOf(draft),
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

/** Of its subgraphs, of its own, of the placeholders it was imported through; each once. */
export function classesOf({ attributes, subgraphClasses, importClasses }: DraftNode): string[] {
  const own = classNames(attributes);
  if (!subgraphClasses && !importClasses && own.length < 2) return own;
  return [...new Set([...(subgraphClasses ?? []), ...own, ...(importClasses ?? [])])];
}

/** The names in a `class` attribute, in its order. */
export function classNames(attributes: DraftAttributes): string[] {
  const list = attributes.text('class');
  return list === undefined ? [] : namesIn(list);
}

/** A list of classes, as a `class` attribute writes it. */
export function namesIn(list: string): string[] {
  return list.split(/[\s,]+/).filter((name) => name !== '');
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

function completeModel(node: ModelSettings, attributes: DraftAttributes): void {
  setPresent(node, 'model', attributes.words('model'));
  setPresent(node, 'provider', attributes.words('provider'));
  setPresent(node, 'reasoningEffort', attributes.words('reasoning_effort'));
  setPresent(node, 'speed', attributes.words('speed'));
  const maxTokens = attributes.integer('max_tokens');
  setPresent(node, 'maxTokens', maxTokens !== undefined && maxTokens > 0 ? maxTokens : undefined);
}

function completeAnswer(node: NodeCommon & StructuredAnswer, attributes: DraftAttributes): void {
  node.prompt = attributes.words('prompt') ?? node.label;
  node.outputRetries = Math.max(0, attributes.integer('output_retries') ?? DEFAULT_OUTPUT_RETRIES);
  node.projectMemory = attributes.flag('project_memory') ?? true;
  setPresent(node, 'outputSchema', attributes.words('output_schema'));
  completeModel(node, attributes);
}

function backendOf(attributes: DraftAttributes): AgentBackend {
  const command = attributes.words('acp.command');
  const config = attributes.words('acp.config');
  if (attributes.text('backend') !== 'acp') return { type: 'api' };
  if (command !== undefined) return { type: 'acp', start: 'command', command };
  return { type: 'acp', start: 'config', config: config ?? '' };
}

function completeCommand(node: CommandNode, attributes: DraftAttributes): void {
  node.script = attributes.text('script') ?? '';
  node.language = attributes.oneOf('language', SCRIPT_LANGUAGES) ?? 'shell';
  node.timeoutMs ??= DEFAULT_COMMAND_TIMEOUT_MS;
  setPresent(node, 'outputSchema', attributes.words('output_schema'));
  setPresent(node, 'stdinSource', attributes.words('stdin_source'));
}

function completeHuman(node: HumanNode, attributes: DraftAttributes, outgoing: readonly Edge[]): void {
  const asksForTextOnly = outgoing.length > 0 && outgoing.every(({ freeform }) => freeform);
  const usual: QuestionType = asksForTextOnly ? 'freeform' : 'multiple_choice';
  node.questionType = attributes.oneOf('question_type', QUESTION_TYPES) ?? usual;
  node.reviewTarget = attributes.flag('review_target') ?? false;
  setPresent(node, 'defaultChoice', attributes.words('human.default_choice'));
}

function completeManagerLoop(
  node: ManagerLoopNode,
  attributes: DraftAttributes,
  child: ChildWorkflow | undefined,
): void {
  node.child = child ?? { missing: attributes.words('stack.child_workflow') ?? '' };
  node.pollIntervalMs = attributes.durationMs('manager.poll_interval') ?? DEFAULT_POLL_INTERVAL_MS;
  node.maxCycles = Math.max(1, attributes.integer('manager.max_cycles') ?? DEFAULT_MAX_CYCLES);
  setPresent(node, 'stopCondition', attributes.words('manager.stop_condition'));
}

function atLeast(least: number, value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(least, value);
}
