import { type Edge } from './edge.js';
import { type Fidelity } from './fidelity.js';
import { type RawAttributes } from './raw-attributes.js';

/**
 * A workflow that can run: plain data, safe to store as JSON and to read back. Nodes are in the order of their first
 * mention and edges in the order of their declaration, which is also the order of branches and of a question's options.
 */
export interface Graph {
  name: string;
  attributes: GraphAttributes;
  /** Everything written for the graph, known or not: each is the context entry `graph.<key>`. */
  rawAttributes: RawAttributes;
  nodes: Node[];
  edges: Edge[];
}

export type Direction = 'LR' | 'RL' | 'TB' | 'BT';

/** What holds for the whole graph. An absent field leaves the choice to the settings of the run. */
export interface GraphAttributes {
  /** Empty when neither the source nor the run has one. */
  goal: string;
  label?: string;
  rankdir?: Direction;
  modelStylesheet: string;
  defaultModel?: string;
  defaultProvider?: string;
  defaultMaxRetries: number;
  retryTarget?: string;
  fallbackRetryTarget?: string;
  defaultFidelity?: Fidelity;
  defaultThread?: string;
  /** Visits of one node over the whole run; 0 is no limit. */
  maxNodeVisits: number;
  /** 0 switches the watchdog off. */
  stallTimeoutMs: number;
  loopRestartSignatureLimit: number;
}

export type RetryPolicyName = 'none' | 'standard' | 'aggressive' | 'linear' | 'patient';
export type Selection = 'deterministic' | 'random';
export type QuestionType = 'yes_no' | 'confirmation' | 'multiple_choice' | 'multi_select' | 'freeform';
export type ScriptLanguage = 'shell' | 'python';

/**
 * What every node has, whoever executes it. An absent field was not written; where another layer may still decide
 * (retries, visits, model, fidelity), the language leaves the decision to it.
 */
export interface NodeCommon {
  id: string;
  /** The id when no label was written. */
  label: string;
  /** The shape in force, inferred where none was written. */
  shape: string;
  /** Classes of the subgraphs the node is in, then those of its own, without repetition. */
  classes: string[];
  /** Limit of one attempt. */
  timeoutMs?: number;
  /** Refuses the visit after this many; 0 refuses the first. Replaces the graph's limit. */
  maxVisits?: number;
  /** Attempts after the first. */
  maxRetries?: number;
  /** Wins over `maxRetries`. */
  retryPolicy?: RetryPolicyName;
  retryTarget?: string;
  fallbackRetryTarget?: string;
  goalGate: boolean;
  autoStatus: boolean;
  allowPartial: boolean;
  selection: Selection;
  fidelity?: Fidelity;
  threadId?: string;
  rawAttributes: RawAttributes;
}

/** Which model is asked, and how; each absent field is decided by style sheet, run settings and catalogue. */
export interface ModelSettings {
  model?: string;
  provider?: string;
  reasoningEffort?: string;
  speed?: string;
  maxTokens?: number;
}

/** `routing`, or the text of a JSON Schema object. */
export type OutputSchema = string;

/** What agents and prompts share: a question to a model, and the shape of its answer. */
export interface StructuredAnswer extends ModelSettings {
  /** The label when no prompt was written. */
  prompt: string;
  outputSchema?: OutputSchema;
  /** Corrective turns after the first answer that does not fit the schema. */
  outputRetries: number;
  projectMemory: boolean;
}

export interface StartNode extends NodeCommon {
  kind: 'start';
}

export interface ExitNode extends NodeCommon {
  kind: 'exit';
}

export interface AgentNode extends NodeCommon, StructuredAnswer {
  kind: 'agent';
  backend: AgentBackend;
}

/** Our own loop over a model's API, or an external agent, started by a shell command or by a JSON description. */
export type AgentBackend =
  | { type: 'api' }
  | { type: 'acp'; start: 'command'; command: string }
  | { type: 'acp'; start: 'config'; config: string };

export interface PromptNode extends NodeCommon, StructuredAnswer {
  kind: 'prompt';
}

export interface CommandNode extends NodeCommon {
  kind: 'command';
  script: string;
  language: ScriptLanguage;
  timeoutMs: number;
  outputSchema?: OutputSchema;
  /** Context key of the value that is written to standard input. */
  stdinSource?: string;
}

export interface HumanNode extends NodeCommon {
  kind: 'human';
  questionType: QuestionType;
  /** The question's link is the context value `review_target`. */
  reviewTarget: boolean;
  /** Where the run goes when nobody answers in time. */
  defaultChoice?: string;
}

export interface ConditionalNode extends NodeCommon {
  kind: 'conditional';
}

export interface ParallelNode extends NodeCommon {
  kind: 'parallel';
  maxParallel: number;
  /** A context key, or the text of a JSON array. Absent: one branch for each outgoing edge. */
  forEach?: string;
  /** Where its branches end and the run goes on. Every node with branches that {@link compile} gives has one. */
  join?: string;
}

export interface FanInNode extends NodeCommon, ModelSettings {
  kind: 'parallel.fan_in';
  /** Absent: the node only joins. */
  prompt?: string;
}

export interface WaitNode extends NodeCommon {
  kind: 'wait';
  durationMs: number;
}

export interface ManagerLoopNode extends NodeCommon {
  kind: 'stack.manager_loop';
  child: ChildWorkflow;
  pollIntervalMs: number;
  maxCycles: number;
  /** Text of a condition that is known to compile. */
  stopCondition?: string;
}

/**
 * The graph that is run, or the path of a file that the bundle does not have: that keeps a run from being made, but older
 * versions stored such runs, whose stage fails.
 */
export type ChildWorkflow = { graph: Graph; path?: string } | { missing: string };

export type Node =
  | StartNode
  | ExitNode
  | AgentNode
  | PromptNode
  | CommandNode
  | HumanNode
  | ConditionalNode
  | ParallelNode
  | FanInNode
  | WaitNode
  | ManagerLoopNode;
