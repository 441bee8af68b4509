import { type Bundle } from '../bundle/bundle.js';
import { quote } from '../diagnostics/wording.js';
import { type Draft, type DraftNode } from '../graph/draft.js';
import { Expansion } from '../graph/expand.js';
import { type SourceText } from '../source/source-text.js';
import { readStatements } from '../syntax/parse.js';
import { bodyOf, type Body } from './imported-body.js';
import { IMPORT_ERROR, PLACEHOLDER_DEFAULTS } from './placeholder.js';
import { splice } from './splice.js';

/** Deeper than any workflow is nested, shallower than any stack. */
const MAX_DEPTH = 32;
const ALLOWED: ReadonlySet<string> = new Set(['import', 'class', ...PLACEHOLDER_DEFAULTS]);

/** Puts the nodes of other workflows in the place of nodes with an `import`, those of their imports included. */
export function resolveImports(draft: Draft, bundle: Bundle): void {
  new Imports(bundle).resolve(draft, []);
}

class Imports {
  /** Each file is read once; `undefined` when it cannot be imported, which has been said. */
  private readonly bodies = new Map<string, Body | undefined>();

  constructor(private readonly bundle: Bundle) {}

  /** `chain` are the files that are being read, the outermost first. */
  resolve(draft: Draft, chain: readonly string[]): void {
    const replacements = new Map<DraftNode, Body>();
    for (const node of draft.nodes.values()) {
      const reference = node.attributes.text('import');
      if (reference === undefined) continue;
      if (draft.state.outgrown) return;
      const body = this.bodyFor(draft, node, reference.trim(), chain);
      if (body) replacements.set(node, body);
    }
    if (replacements.size > 0) splice(draft, replacements);
  }

  private bodyFor(draft: Draft, node: DraftNode, reference: string, chain: readonly string[]): Body | undefined {
    const { state } = draft;
    const { span } = node.attributes.get('import')!.literal;
    const object = (message: string, at = span): undefined => {
      state.find(IMPORT_ERROR, {
        message: `Import placeholder ${quote(node.id)} ${message}`,
        span: at,
        nodeId: node.id,
      });
    };

    for (const { key, writtenKey, isDefault } of node.attributes.all()) {
      if (isDefault || ALLOWED.has(key)) continue;
      object(`has unsupported attribute ${quote(key)}: the nodes that take its place do not know it.`, writtenKey.span);
    }
    const from = state.sources.pathOf(span);
    const found = this.bundle.resolve(reference, from);
    if ('problem' in found) return object(`refers to the workflow ${quote(reference)}, ${found.problem}.`);
    const files = from === undefined ? chain : [...chain, from];
    if (files.length > MAX_DEPTH) return object('is nested too deeply.');
    if (files.includes(found.path)) {
      const cycle = [...files.slice(files.indexOf(found.path)), found.path].join(' -> ');
      return object(`closes a circle: circular import detected: ${cycle}.`);
    }
    if (!this.bodies.has(found.path)) this.bodies.set(found.path, this.read(draft, found.file, files));
    const body = this.bodies.get(found.path);
    if (!body) return object(`refers to ${quote(reference)}, which cannot be imported.`);
    return body;
  }

  private read(outer: Draft, file: SourceText, chain: readonly string[]): Body | undefined {
    const { state, doubtful } = outer;
    const expansion = new Expansion(state);
    const { diagnostics } = readStatements(file, expansion);
    for (const { message, range } of diagnostics) {
      const span = { start: file.base + range.start.offset, end: file.base + range.end.offset };
      state.find('syntax', { message, span });
    }
    if (diagnostics.length > 0) return undefined;
    const { draft } = expansion;
    outer.hasBraces ||= draft.hasBraces;
    for (const attribute of draft.doubtful) if (attribute.owner !== 'graph') doubtful.push(attribute);
    const before = state.found(IMPORT_ERROR).length;
    this.resolve(draft, chain);
    const body = bodyOf(draft);
    return state.found(IMPORT_ERROR).length > before ? undefined : body;
  }
}
