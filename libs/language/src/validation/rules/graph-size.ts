import { MAX_COPIED_TEXT, MAX_EXPANDED_NODES } from '../../compile-state.js';
import { type Rule } from '../rule.js';

export const graphSize: Rule = {
  id: 'graph_size',
  severity: 'error',
  *check({ draft: { state } }) {
    const { outgrown, isNested } = state;
    if (!outgrown || isNested) return;
    yield { ...SAID[outgrown.by], span: outgrown.at };
  },
};

const SAID = {
  nodes: {
    message: `What this imports, or runs as children, makes more than ${MAX_EXPANDED_NODES} nodes of the workflow.`,
    fix: 'Import each file where it is needed, not in every file; a for_each does the same work for many items.',
  },
  text: {
    message: `What is copied to nodes and edges (defaults, imports, files) takes more than ${MAX_COPIED_TEXT / 1024 / 1024} Mi characters in all.`,
    fix: 'Write long texts on the nodes that need them.',
  },
};
