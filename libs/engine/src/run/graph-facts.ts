import type { HandlerKind } from '#libs/language';

/** What folding has to know of the graphs. */
export interface GraphFacts {
  /** Which handler a node has. */
  readonly kindOf: (node: string) => HandlerKind | undefined;
  /** Whether models are told what was done. */
  readonly tellsHistory: boolean;
}
