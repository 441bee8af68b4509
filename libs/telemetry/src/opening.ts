import type { KnownEvent } from './known-event.js';
import type { Attributes } from './span.js';

/** What an event begins. */
export interface SpanOpening {
  /** By this the event that ends it finds it. */
  key: string;
  name: string;
  /** Whether somebody outside is asked. */
  isCall?: boolean;
  attributes: Attributes;
}

/** The span that an event opens, besides those of the run, its stages and their attempts; null where it opens none. */
export function openingOf(event: KnownEvent): SpanOpening | null {
  const key = spanKeyOf(event);
  switch (event.event) {
    case 'parallel.branch.started': {
      const { index, item_label } = event.properties;
      const item = item_label !== undefined && { 'runyard.branch.item': item_label };
      return { key, name: `branch ${index}`, attributes: { 'runyard.branch.index': index, ...item } };
    }
    case 'subgraph.started':
      return { key, name: 'sub-workflow', attributes: {} };
    case 'sandbox.initializing':
      return { key, name: 'sandbox', attributes: { 'runyard.sandbox.provider': event.properties.provider } };
    case 'command.started':
      return { key, name: 'command', isCall: true, attributes: {} };
    case 'agent.llm.started': {
      const { provider, model_id } = event.properties.requested_model;
      const asked = { 'gen_ai.provider.name': provider, 'gen_ai.request.model': model_id };
      return {
        key,
        name: `chat ${model_id}`,
        isCall: true,
        attributes: { 'gen_ai.operation.name': 'chat', ...asked },
      };
    }
    case 'interview.started':
      return { key, name: 'question', attributes: { 'runyard.question.type': event.properties.question_type } };
    case 'hook.started': {
      const { hook_name, point, kind } = event.properties;
      const attributes = { 'runyard.hook.name': hook_name, 'runyard.hook.point': point, 'runyard.hook.kind': kind };
      return { key, name: `hook ${hook_name}`, isCall: true, attributes };
    }
    default:
      return null;
  }
}

/** The same for the beginning and the end of one thing, and for nothing else that is open meanwhile. */
export function spanKeyOf(event: KnownEvent): string {
  switch (event.event) {
    case 'parallel.branch.started':
    case 'parallel.branch.completed':
    case 'subgraph.started':
    case 'subgraph.completed':
      return pathKey(event.cursor_id);
    case 'interview.started':
    case 'interview.completed':
    case 'interview.timeout':
    case 'interview.interrupted':
      return `question ${event.properties.question_id}`;
    case 'hook.started':
    case 'hook.completed':
    case 'hook.failed':
      return `hook ${event.properties.point} ${event.properties.hook_name} ${event.node_id} ${event.cursor_id}`;
    case 'agent.llm.started':
    case 'agent.message':
    case 'prompt.completed':
      return modelKey(event.stage_id);
    default:
      return `${event.event.split('.', 1)[0]} ${event.stage_id}`;
  }
}

/** A stage asks one model at a time. */
export function modelKey(stageId: string | undefined): string {
  return `model ${stageId}`;
}

/** What happens on a path of its own, a branch or a sub-workflow, is inside of that. */
export function pathKey(cursorId: string | undefined): string {
  return `path ${cursorId}`;
}
