import { type Edge } from './edge.js';
import { type Fidelity } from './fidelity.js';
import { type Node } from './node.js';
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
