import type { Graph } from '#libs/language';
import type { HandlerTable } from '../handlers/handler-table.js';

/** What a valid workflow asks for that this engine cannot execute: one sentence each, empty when it can run. */
export function unsupportedBy(graph: Graph, handlers: HandlerTable): string[] {
  return graph.nodes.flatMap((node) => {
    if (!handlers.supports(node.kind)) {
      return [`Node "${node.id}" is of kind "${node.kind}", for which this server has no handler.`];
    }
    if (node.kind === 'command' && node.outputSchema !== undefined) {
      return [`Node "${node.id}" has an output_schema, which this server does not read on command nodes.`];
    }
    return [];
  });
}
