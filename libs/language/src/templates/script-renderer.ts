import { type CompileState } from '../compile-state.js';
import { quote } from '../diagnostics/wording.js';
import { withText, type DraftAttribute } from '../graph/draft-attribute.js';
import { spanInside } from '../source/span-inside.js';
import { pythonText, scriptTokens, shellWord, type ScriptToken } from './script-tokens.js';
import { type TemplateScope } from './template-scope.js';
import { TEMPLATE_UNDEFINED_VARIABLE, undefinedVariable } from './undefined-variable.js';

/** Puts values in the place of tokens in scripts, each as one word. A script is no template: its braces are its own. */
export class ScriptRenderer {
  /** Nodes that share a default share what it renders to, if they have one language. */
  private readonly rendered = new Map<DraftAttribute, Map<string, DraftAttribute>>();

  constructor(
    private readonly state: CompileState,
    /** `undefined` when it is not known. */
    private readonly goal: string | undefined,
    private readonly scope: TemplateScope | undefined,
  ) {}

  /** The script with its values; a token without one stays as it is written. */
  render(attribute: DraftAttribute, language = 'shell', nodeId: string): DraftAttribute {
    if (attribute.typed?.type !== 'string') return attribute;
    const tokens = scriptTokens(attribute.typed.value);
    if (tokens.length === 0) return attribute;
    const byLanguage = this.rendered.get(attribute) ?? new Map<string, DraftAttribute>();
    this.rendered.set(attribute, byLanguage);
    const known = byLanguage.get(language);
    if (known) return known;
    const quoted = language === 'python' ? pythonText : shellWord;
    const text = this.replaced(attribute, tokens, quoted, nodeId);
    const rendered = text === undefined ? attribute : withText(attribute, text);
    byLanguage.set(language, rendered);
    return rendered;
  }

  private replaced(
    attribute: DraftAttribute,
    tokens: readonly ScriptToken[],
    quoted: (text: string) => string,
    nodeId: string,
  ): string | undefined {
    const { text } = attribute.literal;
    const parts: string[] = [];
    let at = 0;
    for (const token of tokens) {
      const { from, to } = token;
      const value = this.valueOf(token);
      if (token.root === 'inputs') this.state.inputs.add(token.name);
      if (value === undefined) this.report(attribute, token, nodeId);
      else if (!this.state.mayCopy(value.length, attribute.literal.span)) return undefined;
      parts.push(text.slice(at, from), value === undefined ? text.slice(from, to) : quoted(value));
      at = to;
    }
    return parts.join('') + text.slice(at);
  }

  private valueOf({ root, name }: ScriptToken): string | undefined {
    if (root === 'goal') return this.goal;
    if (!this.scope || root === 'env' || root === 'secrets') return undefined;
    const values = this.scope[root];
    return Object.hasOwn(values, name) ? String(values[name]) : undefined;
  }

  private report({ literal }: DraftAttribute, { root, name, from, to }: ScriptToken, nodeId: string): void {
    const isHidden = root === 'env' || root === 'secrets';
    // Without a scope, a value that is not there is not known.
    if (root === 'goal' || (!this.scope && !isHidden)) return;
    const span = spanInside(this.state.sources, literal, from, to);
    const what = `the script of node ${quote(nodeId)}`;
    this.state.inputs.addMissing(`${root}.${name}`);
    const finding = undefinedVariable(`${root}.${name}`, what, span, this.scope);
    this.state.find(TEMPLATE_UNDEFINED_VARIABLE, { ...finding, nodeId, ...(isHidden && { severity: 'error' }) });
  }
}
