import { type CompileState } from '../compile-state.js';
import { type Span } from '../source/source-text.js';
import { type DraftAttribute, type DraftAttributes } from './draft-attribute.js';

/** A graph between source and result: everything is expanded, and every part still knows where it was written. */
export interface Draft {
  state: CompileState;
  name: string;
  nameSpan: Span;
  attributes: DraftAttributes;
  /** Every id that is mentioned, in the order of the first mention. */
  nodes: Map<string, DraftNode>;
  edges: DraftEdge[];
  /** Whether any attribute of the source has a brace in it: without one it has no template either. */
  hasBraces: boolean;
  /** The attributes of the source that the language does not know, those whose value it cannot read, and durations without a unit, in order. */
  doubtful: DraftAttribute[];
  /** What each rule of the style sheet says. A node holds those of these attributes that are chosen for it. */
  styles: DraftAttributes[];
}

export interface DraftNode {
  id: string;
  /** Where it was declared, or else first mentioned. */
  span: Span;
  /** False while only edges mention it. */
  declared: boolean;
  attributes: DraftAttributes;
  /** Classes of the subgraphs that declare or mention it. */
  subgraphClasses?: Set<string>;
  /** Classes of the placeholders it was imported through. */
  importClasses?: readonly string[];
}

export interface DraftEdge {
  from: string;
  to: string;
  span: Span;
  attributes: DraftAttributes;
}
