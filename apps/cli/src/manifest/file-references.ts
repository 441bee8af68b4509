import { type Attribute, parse, type Statement } from '#libs/language';

/** A place in a workflow that names another file. */
export interface FileReference {
  type: 'file_inline' | 'import';
  /** `prompt of node "plan"` */
  where: string;
  /** As it was written, with its `@`. */
  original: string;
  /** The path in it, relative to the workflow. */
  path: string;
  /** From 1. */
  line: number;
}

const INLINE = ['goal', 'prompt', 'output_schema'];

/** Every file a workflow refers to, in the order of the source. A source with syntax errors refers to none. */
export function fileReferences(source: string): FileReference[] {
  const { tree } = parse(source);
  return tree ? [...referencesIn(tree.statements, source)] : [];
}

function* referencesIn(statements: readonly Statement[], source: string): Generator<FileReference> {
  for (const { owner, attribute } of attributesOf(statements)) {
    const { key, value } = attribute;
    const line = source.slice(0, value.span.start).split('\n').length;
    const place = { where: `${key.text} of ${owner}`, original: value.text, line };
    const inlined = INLINE.includes(key.text) ? /^\s*@(.+?)\s*$/.exec(value.text)?.[1] : undefined;
    if (key.text === 'import') yield { type: 'import', path: value.text, ...place };
    else if (inlined !== undefined) yield { type: 'file_inline', path: inlined, ...place };
  }
}

function* attributesOf(statements: readonly Statement[]): Generator<{ owner: string; attribute: Attribute }> {
  for (const statement of statements) {
    switch (statement.type) {
      case 'graph attributes':
        for (const attribute of statement.attributes) yield { owner: 'the graph', attribute };
        break;
      case 'assignment':
        yield { owner: 'the graph', attribute: statement.attribute };
        break;
      case 'node defaults':
        for (const attribute of statement.attributes) yield { owner: 'all nodes', attribute };
        break;
      case 'node':
        for (const attribute of statement.attributes) yield { owner: `node "${statement.id.text}"`, attribute };
        break;
      case 'subgraph':
        yield* attributesOf(statement.statements);
        break;
      case 'edge defaults':
      case 'edge':
        break;
    }
  }
}
