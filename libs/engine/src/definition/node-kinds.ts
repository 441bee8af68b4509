import type { HandlerKind, Node } from '#libs/language';

type NodeOf<Kind extends HandlerKind> = Extract<Node, { kind: Kind }>;

/** What it takes to execute nodes of one kind. */
interface KindTraits<N> {
  /** What ends a stage: the walk decides it by itself, or a worker's handler executes it. */
  executedBy: 'walk' | 'handler' | ((node: N) => 'walk' | 'handler');
  needsSandbox: boolean;
  asksModel: boolean | ((node: N) => boolean);
  /** What ends an attempt that takes longer than its node's `timeout`: its handler, or the worker around that. */
  limitKeptBy: 'handler' | 'worker';
  /** Why a node of this kind cannot be executed though its kind can, as the end of a sentence that names the node. */
  refusal?: (node: N) => string | undefined;
}

const DECIDED = { executedBy: 'walk', needsSandbox: false, asksModel: false, limitKeptBy: 'handler' } as const;

/** The one table of what the kinds of nodes need; how each looks is the business of those who draw. */
const KINDS: { readonly [Kind in HandlerKind]: KindTraits<NodeOf<Kind>> } = {
  start: DECIDED,
  exit: DECIDED,
  conditional: DECIDED,
  wait: DECIDED,
  human: DECIDED,
  parallel: DECIDED,
  'stack.manager_loop': DECIDED,
  command: { executedBy: 'handler', needsSandbox: true, asksModel: false, limitKeptBy: 'handler' },
  prompt: { executedBy: 'handler', needsSandbox: false, asksModel: true, limitKeptBy: 'worker' },
  agent: {
    executedBy: 'handler',
    needsSandbox: true,
    // An external agent has a model of its own.
    asksModel: ({ backend }) => backend.type === 'api',
    limitKeptBy: 'worker',
    refusal: ({ backend }) =>
      backend.type === 'acp' ? 'wants an external agent (backend=acp), which this server cannot start' : undefined,
  },
  'parallel.fan_in': {
    executedBy: ({ prompt }) => (prompt === undefined ? 'walk' : 'handler'),
    needsSandbox: false,
    asksModel: ({ prompt }) => prompt !== undefined,
    limitKeptBy: 'worker',
  },
};

function traitsOf(node: Node): KindTraits<Node> {
  return KINDS[node.kind] as KindTraits<Node>;
}

/** Whether the walk ends the stages of a node by itself; a worker's handler executes the others. */
export function isDecidedByWalk(node: Node): boolean {
  const { executedBy } = traitsOf(node);
  return (typeof executedBy === 'function' ? executedBy(node) : executedBy) === 'walk';
}

/** Whether a handler can execute nodes of a kind, at least some of them. */
export function isHandled(kind: HandlerKind): boolean {
  return KINDS[kind].executedBy !== 'walk';
}

/** Whether a node works in the run's sandbox. */
export function needsSandbox({ kind }: Node): boolean {
  return KINDS[kind].needsSandbox;
}

/** Whether a model is asked at a node. */
export function asksModel(node: Node): node is NodeOf<'agent' | 'prompt' | 'parallel.fan_in'> {
  const { asksModel: asks } = traitsOf(node);
  return typeof asks === 'function' ? asks(node) : asks;
}

/** Whether the worker ends an attempt at a node's time limit; some handlers do it themselves. */
export function isLimitedByWorker({ kind }: Node): boolean {
  return KINDS[kind].limitKeptBy === 'worker';
}

/** Why this engine cannot execute a node, as a sentence. */
export function refusalOf(node: Node): string | undefined {
  const refusal = traitsOf(node).refusal?.(node);
  return refusal === undefined ? undefined : `Node "${node.id}" ${refusal}.`;
}
