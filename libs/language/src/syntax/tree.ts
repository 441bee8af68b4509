import { type Span } from '../source/source-text.js';

/** A whole source as it was written: nothing is resolved, defaulted or reordered. */
export interface Document {
  name: Identifier;
  statements: DotStatement[];
  span: Span;
}

export type DotStatement =
  GraphAttributesStatement | DefaultsStatement | Assignment | NodeStatement | EdgeStatement | Subgraph;

/** `graph [key=value]` */
export interface GraphAttributesStatement {
  type: 'graph attributes';
  attributes: Attribute[];
  span: Span;
}

/** `node [key=value]` or `edge [key=value]` */
export interface DefaultsStatement {
  type: 'node defaults' | 'edge defaults';
  attributes: Attribute[];
  span: Span;
}

/** `key = value` as a statement: another way to write a graph attribute */
export interface Assignment {
  type: 'assignment';
  attribute: Attribute;
  span: Span;
}

/** `a [key=value]` */
export interface NodeStatement {
  type: 'node';
  id: Identifier;
  attributes: Attribute[];
  span: Span;
}

/** `a -> b -> c [key=value]`: at least two nodes */
export interface EdgeStatement {
  type: 'edge';
  nodes: Identifier[];
  attributes: Attribute[];
  span: Span;
}

export interface Subgraph {
  type: 'subgraph';
  name?: Identifier;
  statements: DotStatement[];
  span: Span;
}

export interface Identifier {
  text: string;
  span: Span;
}

export interface Attribute {
  key: Identifier;
  value: Literal;
}

/**
 * A value by the form it was written in. `text` has no quotes and no escapes any more; `verbatim` is the content of a
 * file, which has none.
 */
export interface Literal {
  form: LiteralForm;
  text: string;
  span: Span;
}

export type LiteralForm = 'quoted' | 'word' | 'duration' | 'integer' | 'float' | 'boolean' | 'verbatim';
