import type { GraphIndex, HandlerKind } from '#libs/language';

/** What folding has to know of the graphs. */
export interface GraphFacts {
  /** Which handler a node has. */
  readonly kindOf: (node: string) => HandlerKind | undefined;
  /** The graph that paths of a workflow walk; undefined when there is none by this name. */
  readonly graphOf: (workflow: string) => GraphIndex | undefined;
  /** Whether models are told what was done. */
  readonly tellsHistory: boolean;
}
