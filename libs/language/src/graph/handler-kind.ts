/** What executes a node. Each kind has one handler in the engine. */
export type HandlerKind =
  | 'start'
  | 'exit'
  | 'agent'
  | 'prompt'
  | 'command'
  | 'human'
  | 'conditional'
  | 'parallel'
  | 'parallel.fan_in'
  | 'wait'
  | 'stack.manager_loop';

/** The one table of kinds: how a shape asks for a kind, and how the `type` attribute does. */
export const kindOfShape: ReadonlyMap<string, HandlerKind> = new Map([
  ['Mdiamond', 'start'],
  ['Msquare', 'exit'],
  ['box', 'agent'],
  ['tab', 'prompt'],
  ['parallelogram', 'command'],
  ['hexagon', 'human'],
  ['diamond', 'conditional'],
  ['component', 'parallel'],
  ['tripleoctagon', 'parallel.fan_in'],
  ['insulator', 'wait'],
  ['house', 'stack.manager_loop'],
]);

/** Every kind under its own name, and `tool`, an older word for `command`. */
export const kindOfType: ReadonlyMap<string, HandlerKind> = new Map<string, HandlerKind>([
  ...[...kindOfShape.values()].map((kind) => [kind, kind] as const),
  ['tool', 'command'],
]);

const kindOfId: ReadonlyMap<string, HandlerKind> = new Map([
  ['start', 'start'],
  ['Start', 'start'],
  ['exit', 'exit'],
  ['Exit', 'exit'],
  ['end', 'exit'],
  ['End', 'exit'],
]);

/** The kind an id claims by itself: `start` and `Start`; `exit`, `Exit`, `end` and `End`. */
export function kindClaimedById(id: string): HandlerKind | undefined {
  return kindOfId.get(id);
}

const DEFAULT_SHAPE = 'box';
const COMMAND_SHAPE = 'parallelogram';

interface KindClues {
  id: string;
  type: string | undefined;
  shape: string | undefined;
  hasScript: boolean;
}

/**
 * Chooses the handler of a node: a known `type`, else a telling shape, else the id, else a script without a shape.
 * `box` tells nothing, because it is what a node is without a shape; so `node [shape=box]` leaves `start` a start.
 * An unknown type or shape is passed over, and what is left is an agent.
 */
export function chooseKind({ id, type, shape, hasScript }: KindClues): { kind: HandlerKind; shape: string } {
  const typed = type === undefined ? undefined : kindOfType.get(type);
  const drawn = shape === undefined || shape === DEFAULT_SHAPE ? undefined : kindOfShape.get(shape);
  const claimed = typed ?? drawn ?? kindOfId.get(id);
  const looksLikeCommand = claimed === undefined && type === undefined && shape === undefined && hasScript;
  const inferred = shape ?? (looksLikeCommand ? COMMAND_SHAPE : DEFAULT_SHAPE);
  return { kind: claimed ?? kindOfShape.get(inferred) ?? 'agent', shape: inferred };
}
