import { MAX_VALUE_BYTES } from '#libs/events';
import { jsonBytes } from '#libs/kernel';
import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** As many as a `for_each` may have. */
const MAX_BRANCHES = 1_000;

/** An option stands in a question with its key, which may be most of its label. */
const COPIES = 2;

/** One event asks a question with all of its options, and one tells of all branches of a fork. */
export const edgeCount: Rule = {
  id: 'edge_count',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesOf('human')) {
      const labels = workflow.index.outgoing(node.id).map(({ label, to }) => label ?? to);
      const bytes = COPIES * jsonBytes(labels);
      if (bytes <= MAX_VALUE_BYTES) continue;
      const most = MAX_VALUE_BYTES / COPIES;
      const message = `The options of the human node ${quote(node.id)} take ${bytes / COPIES} bytes together; at most ${most} are allowed.`;
      yield workflow.onNode(node, message, { fix: 'Offer fewer options, or give them shorter labels.' });
    }
    for (const node of workflow.nodesOf('parallel')) {
      const { length } = workflow.index.outgoing(node.id);
      if (length <= MAX_BRANCHES) continue;
      const message = `The parallel node ${quote(node.id)} has ${length} edges; at most ${MAX_BRANCHES} are allowed.`;
      yield workflow.onNode(node, message, { fix: 'Go through a list with for_each.' });
    }
  },
};
