import { type DraftAttribute, type DraftAttributes } from '../graph/draft-attribute.js';
import { type Draft } from '../graph/draft.js';
import { quote } from '../diagnostics/wording.js';
import { type Bundle } from './bundle.js';

const OF_NODES = ['prompt', 'output_schema'];

/** Puts the content of files in the place of `@path`: in the goal, and in the prompts and schemas of nodes. */
export function inlineFiles(draft: Draft, bundle: Bundle): void {
  new Inlining(draft, bundle).run();
}

const REFERENCE = /^\s*@/;

/** The path in a text that is a file reference, `@path`. */
export function referencedPath(text: string): string | undefined {
  return REFERENCE.test(text) ? text.trim().slice(1).trim() : undefined;
}

/** The rule that reports a reference to a file that is not there. */
export const UNRESOLVED = 'unresolved_file_ref';

class Inlining {
  /** Nodes that share a default share what it stands for. */
  private readonly inlined = new Map<DraftAttribute, DraftAttribute>();

  constructor(
    private readonly draft: Draft,
    private readonly bundle: Bundle,
  ) {}

  run(): void {
    this.replace(this.draft.attributes, 'goal');
    for (const { id, attributes } of this.draft.nodes.values()) {
      for (const key of OF_NODES) this.replace(attributes, key, id);
    }
  }

  private replace(attributes: DraftAttributes, key: string, nodeId?: string): void {
    const attribute = attributes.get(key);
    if (attribute?.typed?.type !== 'string') return;
    const path = referencedPath(attribute.typed.value);
    if (path === undefined) return;
    const inlined = this.inlined.get(attribute) ?? this.read(attribute, path, nodeId);
    if (!inlined) return;
    this.inlined.set(attribute, inlined);
    if (this.draft.state.mayCopy(inlined.literal.text.length, attribute.literal.span)) attributes.put([inlined]);
  }

  private read(attribute: DraftAttribute, path: string, nodeId?: string): DraftAttribute | undefined {
    const { state } = this.draft;
    const { span } = attribute.literal;
    const found = this.bundle.resolve(path, state.sources.pathOf(span));
    if ('problem' in found) {
      const what = nodeId === undefined ? 'the goal' : `the ${attribute.key} of node ${quote(nodeId)}`;
      const message = `Unresolved file reference: ${what} refers to the file ${quote(path)}, ${found.problem}.`;
      state.find(UNRESOLVED, { message, span, ...(nodeId !== undefined && { nodeId }) });
      return undefined;
    }
    const { text } = found.file;
    return {
      ...attribute,
      literal: { form: 'verbatim', text, span: found.file.span },
      typed: { type: 'string', value: text },
    };
  }
}
