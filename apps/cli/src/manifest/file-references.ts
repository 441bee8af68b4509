import { includesIn, parse, type Attribute, type DotStatement } from '#libs/language';

/** A place in a text that names another file. */
export interface FileReference {
  type: 'file_inline' | 'import' | 'child';
  /** As it was written, with its `@`. */
  original: string;
  /** The path in it, relative to the file it stands in. */
  path: string;
}

/** A text of a bundle, by what refers to it: prompts and what they include are templates, the others workflows. */
export type BundledText = { type: FileReference['type']; text: string };

/**
 * What a text refers to, in its order, as far as it can be read. More is better than less: what a later attribute
 * replaces may be among it, and nothing is said about what is not there, which is the compiler's to judge.
 */
export function fileReferencesIn({ type, text }: BundledText): FileReference[] {
  if (type === 'file_inline') return included(text);
  const { tree } = parse(text);
  return tree ? [...attributesIn(tree.statements)].flatMap(referencesOf) : [];
}

function referencesOf({ key, value }: Attribute): FileReference[] {
  const original = value.text;
  const written = original.trim();
  switch (key.text) {
    case 'import':
      return [{ type: 'import', original, path: written }];
    case 'stack.child_workflow':
      return [{ type: 'child', original, path: written }];
    case 'goal':
    case 'prompt':
    case 'output_schema':
      if (!written.startsWith('@')) return included(original);
      return [{ type: 'file_inline', original, path: written.slice(1).trim() }];
    default:
      return [];
  }
}

function included(text: string): FileReference[] {
  return includesIn(text).map(({ path }) => ({ type: 'file_inline', original: path, path }));
}

function* attributesIn(statements: readonly DotStatement[]): Generator<Attribute> {
  for (const statement of statements) {
    if (statement.type === 'subgraph') yield* attributesIn(statement.statements);
    else if (statement.type === 'assignment') yield statement.attribute;
    else yield* statement.attributes;
  }
}
