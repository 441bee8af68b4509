import { type CompileState } from '../../compile-state.js';
import { quote } from '../../diagnostics/wording.js';
import { withText, type DraftAttribute } from '../../graph/draft-attribute.js';
import { spansInside } from '../../syntax/span-inside.js';
import { type TemplateScope } from '../template-scope.js';
import { TEMPLATE_UNDEFINED_VARIABLE, undefinedVariable } from '../undefined-variable.js';
import {
  almostTokens,
  SCRIPT_TOKEN_UNKNOWN,
  SCRIPT_VARIABLE_UNQUOTED,
  unfilledVariables,
  unquotedVariables,
  type DoubtfulWord,
} from './doubtful-words.js';
import { pythonPlaces } from './python-places.js';
import { pythonText, shellText } from './quote-value.js';
import { scriptTokens, type ScriptToken } from './script-tokens.js';
import { shellPlaces } from './shell-places.js';
import { type TokenPlace } from './token-place.js';
import { SCRIPT_TOKEN_PLACE, unknownPlace } from './unknown-place.js';

/** The script of one node, and how its language is read and written. */
interface Script {
  attribute: DraftAttribute;
  language: string;
  nodeId: string;
}

/**
 * Puts values in the place of tokens in scripts, each quoted for the place where it stands. A script is no template: its
 * braces are its own.
 */
export class ScriptRenderer {
  /** Nodes that share a default share what it renders to, if they have one language. */
  private readonly rendered = new Map<DraftAttribute, Map<string, DraftAttribute>>();

  constructor(
    private readonly state: CompileState,
    /** `undefined` when it is not known. */
    private readonly goal: string | undefined,
    private readonly scope: TemplateScope | undefined,
  ) {}

  /**
   * The script with its values. A token without one stays as it is written, and so does one in a comment; a token in a
   * place where its value cannot be quoted is reported, whether the value is known or not.
   */
  render(attribute: DraftAttribute, language = 'shell', nodeId: string): DraftAttribute {
    if (attribute.typed?.type !== 'string') return attribute;
    this.state.inputs.addVariablesIn(attribute.typed.value);
    if (!/\{\{|RUNYARD_(?:INPUT_|GOAL)/.test(attribute.typed.value)) return attribute;
    const byLanguage = this.rendered.get(attribute) ?? new Map<string, DraftAttribute>();
    this.rendered.set(attribute, byLanguage);
    const known = byLanguage.get(language);
    if (known) return known;
    const script = { attribute, language, nodeId };
    const tokens = scriptTokens(attribute.typed.value);
    this.reportDoubtful(script, tokens);
    const text = tokens.length === 0 ? undefined : this.replaced(script, tokens);
    const rendered = text === undefined ? attribute : withText(attribute, text);
    byLanguage.set(language, rendered);
    return rendered;
  }

  private replaced(script: Script, tokens: readonly ScriptToken[]): string | undefined {
    const { attribute, language } = script;
    const { text } = attribute.literal;
    const isPython = language === 'python';
    const places = isPython ? pythonPlaces(text, tokens) : shellPlaces(text, tokens);
    const quoted = isPython ? pythonText : shellText;
    const report = this.reporter(script);
    const parts: string[] = [];
    let at = 0;
    for (const [index, token] of tokens.entries()) {
      const { from, to } = token;
      const place = places[index]!;
      const value = place.kind === 'comment' ? undefined : this.valueOf(token);
      if (place.kind !== 'comment') report(token, place, value);
      if (value !== undefined && !this.state.mayCopy(value.length, attribute.literal.span)) return undefined;
      const stays = value === undefined || place.kind === 'comment' || place.kind === 'unknown';
      parts.push(text.slice(at, from), stays ? text.slice(from, to) : quoted(place, value));
      at = to;
    }
    return parts.join('') + text.slice(at);
  }

  private reportDoubtful({ attribute: { literal }, language, nodeId }: Script, tokens: readonly ScriptToken[]): void {
    const what = `the script of node ${quote(nodeId)}`;
    const { scope } = this;
    const spanOf = spansInside(this.state.sources, literal);
    const report = (rule: string, { from, to, ...finding }: DoubtfulWord): void =>
      this.state.find(rule, { ...finding, span: spanOf(from, to), nodeId });
    for (const word of almostTokens(literal.text, tokens, { what, language, scope }))
      report(SCRIPT_TOKEN_UNKNOWN, word);
    if (language !== 'python') {
      for (const word of unquotedVariables(literal.text, what)) report(SCRIPT_VARIABLE_UNQUOTED, word);
    }
    if (!scope || scope.isInside) return;
    for (const word of unfilledVariables(literal.text, what, Object.keys(scope.inputs))) {
      report(TEMPLATE_UNDEFINED_VARIABLE, word);
    }
  }

  private valueOf({ root, name }: ScriptToken): string | undefined {
    if (root === 'goal') return this.goal;
    if (!this.scope || root === 'env' || root === 'secrets') return undefined;
    const values = this.scope[root];
    return Object.hasOwn(values, name) ? String(values[name]) : undefined;
  }

  /** Says what is wrong with a token: nothing defines it, or it stands where its value cannot be quoted. */
  private reporter({ attribute: { literal }, language, nodeId }: Script) {
    const what = `the script of node ${quote(nodeId)}`;
    const spanOf = spansInside(this.state.sources, literal);
    return (token: ScriptToken, place: TokenPlace, value: string | undefined): void => {
      const { root, name, from, to } = token;
      if (root === 'inputs') this.state.inputs.add(name);
      const isHidden = root === 'env' || root === 'secrets';
      if (place.kind === 'unknown' && !isHidden) {
        const finding = unknownPlace(token, place, { what, language, span: spanOf(from, to) });
        this.state.find(SCRIPT_TOKEN_PLACE, { ...finding, nodeId });
      }
      // Without a scope, a value that is not there is not known.
      if (value !== undefined || root === 'goal' || (!this.scope && !isHidden)) return;
      this.state.inputs.addMissing(`${root}.${name}`);
      const finding = undefinedVariable(`${root}.${name}`, what, spanOf(from, to), this.scope);
      this.state.find(TEMPLATE_UNDEFINED_VARIABLE, { ...finding, nodeId, ...(isHidden && { severity: 'error' }) });
    };
  }
}
