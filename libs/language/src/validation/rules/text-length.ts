import { MAX_NAME_BYTES, MAX_PHRASE_BYTES } from '#libs/events';
import { fitsJson, jsonBytes } from '#libs/kernel';
import { quote } from '../../diagnostics/wording.js';
import { type Finding } from '../../diagnostics/finding.js';
import { type Node } from '../../graph/graph.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';

/** Names, labels and conditions stand in every event about their node or edge; long texts belong elsewhere. */
export const textLength: Rule = {
  id: 'text_length',
  severity: 'error',
  *check(workflow) {
    const { graph, nodes, edges } = workflow;
    yield* tooLong('The name of the workflow', graph.name, MAX_NAME_BYTES, (message) => workflow.onGraph(message));
    const { defaultThread, defaultModel, defaultProvider } = graph.attributes;
    for (const [attribute, text] of Object.entries({
      default_thread: defaultThread,
      default_model: defaultModel,
      default_provider: defaultProvider,
    })) {
      const found = (message: string): Finding => workflow.onGraph(message, { attribute });
      yield* tooLong(`The graph attribute ${attribute}`, text, MAX_NAME_BYTES, found);
    }
    for (const node of nodes) yield* checkNode(workflow, node);
    for (const edge of edges) {
      const of = `of the edge ${quote(edge.from)} -> ${quote(edge.to)}`;
      const found = (attribute: string) => (message: string) => workflow.onEdge(edge, message, { attribute });
      yield* tooLong(`The label ${of}`, edge.label, MAX_PHRASE_BYTES, found('label'));
      yield* tooLong(`The condition ${of}`, edge.condition, MAX_PHRASE_BYTES, found('condition'));
      yield* tooLong(`The thread_id ${of}`, edge.threadId, MAX_NAME_BYTES, found('thread_id'));
    }
  },
};

function* checkNode(workflow: CheckedWorkflow, node: Node): Iterable<Finding> {
  const of = `of the node ${quote(node.id)}`;
  const found = (attribute: string, fix?: string) => (message: string) =>
    workflow.onNode(node, message, { attribute, ...(fix !== undefined && { fix }) });
  yield* tooLong(`The id ${of}`, node.id, MAX_NAME_BYTES, found('id'));
  const asks = node.kind === 'agent' || node.kind === 'prompt';
  const fix = asks ? 'Write what the model is asked as the prompt.' : undefined;
  yield* tooLong(`The label ${of}`, node.label, MAX_PHRASE_BYTES, found('label', fix));
  yield* tooLong(`The thread_id ${of}`, node.threadId, MAX_NAME_BYTES, found('thread_id'));
  for (const name of node.classes) yield* tooLong(`A class ${of}`, name, MAX_NAME_BYTES, found('class'));
  if ('model' in node) yield* tooLong(`The model ${of}`, node.model, MAX_NAME_BYTES, found('model'));
  if ('provider' in node) yield* tooLong(`The provider ${of}`, node.provider, MAX_NAME_BYTES, found('provider'));
  if (node.kind !== 'human') return;
  const attribute = 'human.default_choice';
  yield* tooLong(`The ${attribute} ${of}`, node.defaultChoice, MAX_NAME_BYTES, found(attribute));
}

function* tooLong(
  what: string,
  text: string | undefined,
  maxBytes: number,
  found: (message: string) => Finding,
): Iterable<Finding> {
  if (text === undefined || fitsJson(text, maxBytes)) return;
  yield found(`${what} takes ${jsonBytes(text)} bytes; at most ${maxBytes} are allowed.`);
}
