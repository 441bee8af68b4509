import { Environment } from '@huggingface/jinja';
import { type Bundle } from '../bundle/bundle.js';
import { referencedPath, UNRESOLVED } from '../bundle/inline-files.js';
import { type CompileState } from '../compile-state.js';
import { type Finding } from '../diagnostics/finding.js';
import { quote } from '../diagnostics/wording.js';
import { withText, type DraftAttribute } from '../graph/draft-attribute.js';
import { type Span } from '../source/source-text.js';
import { spansInside } from '../syntax/span-inside.js';
import { globals } from './jinja/globals.js';
import { render } from './jinja/render.js';
import { TemplateLibrary } from './jinja/template-library.js';
import { isTemplate, TemplateFault, TemplateText } from './jinja/template-text.js';
import { type TemplateScope } from './template-scope.js';
import { TEMPLATE_UNDEFINED_VARIABLE, undefinedVariable } from './undefined-variable.js';

/** The rule that reports a template that cannot be read, or that fails. */
export const TEMPLATE_SYNTAX = 'template_syntax';
/** The rule that reports a goal whose template asks for the goal. */
export const GOAL_SELF_REFERENCE = 'goal_self_reference';

/** Whose text is rendered. Only the goal belongs to no node. */
interface Subject {
  what: string;
  nodeId?: string;
}

/** Renders the goal and prompts. What they object to is recorded, and a text that cannot be rendered stays as it is. */
export class PromptRenderer {
  private readonly library: TemplateLibrary;
  private readonly unknown: Set<string>;
  private environment = globals();
  /** Nodes that share a default share what it renders to. */
  private readonly rendered = new Map<DraftAttribute, DraftAttribute>();

  constructor(
    private readonly state: CompileState,
    private readonly bundle: Bundle,
    private readonly scope: TemplateScope | undefined,
  ) {
    this.library = new TemplateLibrary(bundle, state.templateWork, state.inputs);
    this.unknown = new Set(scope ? [] : ['inputs', 'vars']);
    if (!scope) return;
    this.environment.set('inputs', scope.inputs);
    this.environment.set('vars', scope.vars);
  }

  /** The goal with its template rendered; `undefined` when that cannot be done, or not yet. */
  renderGoal(goal: DraftAttribute): DraftAttribute | undefined {
    return this.renderText(goal, { what: 'goal' });
  }

  /** From now on templates may name the goal. */
  knowGoal(goal: string | undefined): void {
    if (goal === undefined) {
      this.unknown.add('goal');
      return;
    }
    this.environment = new Environment(this.environment);
    this.environment.set('goal', goal);
  }

  /** A prompt whose template renders to a reference, `@path`, is the content of that file, rendered. */
  render(prompt: DraftAttribute, nodeId: string): DraftAttribute {
    const known = this.rendered.get(prompt);
    if (known) return known;
    const subject = { what: `prompt of node ${quote(nodeId)}`, nodeId };
    const rendered = this.renderText(prompt, subject) ?? prompt;
    const refers = rendered !== prompt && prompt.literal.form !== 'verbatim';
    const path = refers ? referencedPath(rendered.literal.text) : undefined;
    const whole = path === undefined ? rendered : (this.renderFile(prompt, path, subject) ?? prompt);
    this.rendered.set(prompt, whole);
    return whole;
  }

  private renderText(attribute: DraftAttribute, subject: Subject): DraftAttribute | undefined {
    const { literal, typed } = attribute;
    if (typed?.type !== 'string' || !isTemplate(literal.text)) return attribute;
    // A reference that is still there names no file, which is reported already.
    if (literal.form !== 'verbatim' && referencedPath(literal.text) !== undefined) return attribute;
    const { sources } = this.state;
    const path = sources.pathOf(literal.span);
    let places: ReturnType<typeof spansInside> | undefined;
    const placeOf = (from: number, to: number): Span => (places ??= spansInside(sources, literal))(from, to);
    const source = new TemplateText(literal.text, path, placeOf);
    const text = this.renderSource(source, subject);
    return text === undefined ? undefined : withText(attribute, text);
  }

  private renderFile(prompt: DraftAttribute, path: string, subject: Subject): DraftAttribute | undefined {
    const { span } = prompt.literal;
    const found = this.bundle.resolve(path, this.state.sources.pathOf(span));
    if (!('problem' in found)) {
      const { text, span } = found.file;
      return this.renderText({ ...withText(prompt, text), literal: { form: 'verbatim', text, span } }, subject);
    }
    const message = `Unresolved file reference: the ${subject.what} renders to the file ${quote(path)}, ${found.problem}.`;
    this.find(UNRESOLVED, { message, span }, subject);
    return undefined;
  }

  private renderSource(source: TemplateText, subject: Subject): string | undefined {
    const { templateWork: work } = this.state;
    if (work.isSpent) return undefined;
    try {
      const { library, environment, unknown } = this;
      const rendered = render(source, library.read(source), { environment, unknown, tags: library.tags, work });
      for (const [name, span] of rendered.undefinedNames) this.reportUndefined(name, span, subject);
      return rendered.text;
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      this.state.inputs.readsAny = true;
      const message = `The ${subject.what} cannot be rendered: ${error.message}.`;
      this.find(TEMPLATE_SYNTAX, { message, span: error.span }, subject);
      return undefined;
    }
  }

  private reportUndefined(name: string, span: Span, subject: Subject): void {
    this.state.inputs.addMissing(name);
    if (subject.nodeId === undefined && /^goal(?:\.|$)/.test(name)) {
      this.find(GOAL_SELF_REFERENCE, { message: 'The goal cannot refer to itself.', span }, subject);
    } else {
      this.find(TEMPLATE_UNDEFINED_VARIABLE, undefinedVariable(name, `the ${subject.what}`, span, this.scope), subject);
    }
  }

  private find(rule: string, finding: Finding, { nodeId }: Subject): void {
    this.state.find(rule, { ...finding, ...(nodeId !== undefined && { nodeId }) });
  }
}
