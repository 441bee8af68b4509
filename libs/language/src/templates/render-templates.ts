import { type Bundle } from '../bundle/bundle.js';
import { type DraftAttribute, type DraftAttributes } from '../graph/draft-attribute.js';
import { type Draft } from '../graph/draft.js';
import { PromptRenderer } from './prompt-renderer.js';
import { ScriptRenderer } from './scripts/script-renderer.js';
import { type TemplateScope } from './template-scope.js';

/**
 * Renders the goal, then prompts, then the tokens in scripts. Text is rendered once: what a template renders to is not
 * read as a template. Without a scope nobody knows inputs and variables, and a text that depends on them stays as it is
 * written; so does one that cannot be rendered.
 */
export function renderTemplates(draft: Draft, bundle: Bundle, scope?: TemplateScope): void {
  const prompts = new PromptRenderer(draft.state, bundle, scope);
  const goal = draft.attributes.get('goal');
  const renderedGoal = goal && prompts.renderGoal(goal);
  if (renderedGoal) put(draft, draft.attributes, renderedGoal);
  const isKnown = renderedGoal !== undefined || goal === undefined;
  const goalText = isKnown ? (draft.attributes.text('goal') ?? '') : undefined;

  prompts.knowGoal(goalText);
  const scripts = new ScriptRenderer(draft.state, goalText, scope);
  for (const { id, attributes } of draft.nodes.values()) {
    const prompt = attributes.get('prompt');
    const script = attributes.get('script');
    if (prompt) put(draft, attributes, prompts.render(prompt, id));
    if (script) put(draft, attributes, scripts.render(script, attributes.text('language'), id));
  }
}

function put({ state }: Draft, attributes: DraftAttributes, rendered: DraftAttribute): void {
  const written = attributes.get(rendered.key);
  if (rendered === written || !state.mayCopy(rendered.literal.text.length, rendered.literal.span)) return;
  attributes.put([rendered]);
}
