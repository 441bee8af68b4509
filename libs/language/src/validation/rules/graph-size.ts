import { MAX_COPIED_TEXT } from '../../compile-state.js';
import { type Rule } from '../rule.js';

export const graphSize: Rule = {
  id: 'graph_size',
  severity: 'error',
  *check({ draft: { state } }) {
    if (!state.outgrownAt || state.isNested) return;
    const limit = `${MAX_COPIED_TEXT / 1024 / 1024} Mi characters`;
    const message = `What is copied to nodes and edges (defaults, imports, files) takes more than ${limit} in all.`;
    yield { message, span: state.outgrownAt, fix: 'Write long texts on the nodes that need them.' };
  },
};
