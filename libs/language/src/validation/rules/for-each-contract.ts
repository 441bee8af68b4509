import { quote, withArticle } from '../../diagnostics/wording.js';
import { type Node } from '../../graph/graph.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';
import { parseJson } from '../checks/parse-json.js';

/** `for_each` clones one node once for each item of a list: there must be a list, and exactly one node to clone. */
export const forEachContract: Rule = {
  id: 'for_each_contract',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesWith('for_each')) {
      for (const fault of faults(workflow, node)) {
        yield workflow.onNode(node, `for_each on node ${quote(node.id)} ${fault}`, { attribute: 'for_each' });
      }
    }
  },
};

function* faults(workflow: CheckedWorkflow, node: Node): Generator<string> {
  if (node.kind !== 'parallel') {
    yield `has no meaning on ${withArticle(node.kind)} node; it belongs on a parallel node.`;
    return;
  }
  yield* faultsOfSource(workflow.written(node).text('for_each'));
  const outgoing = workflow.index.outgoing(node.id);
  if (outgoing.length !== 1) yield `needs exactly one outgoing edge; there are ${outgoing.length}.`;
  const target = outgoing.length === 1 ? workflow.index.node(outgoing[0]!.to) : undefined;
  if (!target) return;
  if (workflow.written(target).get('for_each')) yield `leads to ${quote(target.id)}, which has for_each itself.`;
  if (target.kind !== 'agent' && target.kind !== 'prompt') {
    yield `leads to ${quote(target.id)}, ${withArticle(target.kind)} node; it must lead to an agent or prompt node.`;
  }
}

function* faultsOfSource(source: string | undefined): Generator<string> {
  if (source === undefined) yield 'must be a text: a context key, or a JSON array.';
  else if (source.trim() === '') yield 'is empty: name a context key, or write a JSON array.';
  else if (source.trimStart().startsWith('[') && !Array.isArray(parseJson(source))) yield 'is not a valid JSON array.';
}
