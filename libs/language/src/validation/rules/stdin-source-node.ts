import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';

const OUTPUT = /^(?:context\.)?output\.([A-Za-z_]\w*)$/;
/** Searches in one workflow, so that checking stays linear. */
const MAX_SEARCHES = 50;

/** The structured output of a node that is not there, or that no way leads from: the script finds nothing. */
export const stdinSourceNode: Rule = {
  id: 'stdin_source_node',
  severity: 'warning',
  *check(workflow) {
    let searches = 0;
    for (const node of workflow.nodesWith('stdin_source')) {
      if (node.kind !== 'command') continue;
      const source = OUTPUT.exec(node.stdinSource ?? '')?.[1];
      if (source === undefined) continue;
      const pointer = { attribute: 'stdin_source' };
      const from = `${quote(node.id)} reads the output of ${quote(source)}`;
      if (!workflow.index.node(source)) {
        const fix = workflow.suggestNode(source);
        yield workflow.onNode(node, `Node ${from}, and there is no such node.`, { ...pointer, ...fix });
      } else if (searches++ < MAX_SEARCHES && !leadsTo(workflow, source, node.id)) {
        yield workflow.onNode(node, `Node ${from}, and no way leads from there to it.`, pointer);
      }
    }
  },
};

function leadsTo({ index }: CheckedWorkflow, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    for (const edge of index.outgoing(id)) {
      if (edge.to === to) return true;
      seen.add(edge.to);
    }
  }
  return false;
}
