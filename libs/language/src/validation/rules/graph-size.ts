import { MAX_COPIED_TEXT } from '../../graph/draft.js';
import { type Rule } from '../rule.js';

export const graphSize: Rule = {
  id: 'graph_size',
  severity: 'error',
  *check({ draft }) {
    if (!draft.outgrownAt) return;
    const limit = `${MAX_COPIED_TEXT / 1024 / 1024} Mi characters`;
    const message = `The defaults copied to nodes and edges take more than ${limit} in all.`;
    yield { message, span: draft.outgrownAt, fix: 'Write long texts on the nodes that need them.' };
  },
};
