import type { Graph } from '#libs/language';
import type { HandlerTable } from '../handlers/handler-table.js';

/** What a valid workflow asks for that this engine cannot execute: one sentence each, empty when it can run. */
export function unsupportedBy(graph: Graph, handlers: HandlerTable): string[] {
  return graph.nodes
    .filter(({ kind }) => !handlers.supports(kind))
    .map(({ id, kind }) => `Node "${id}" is of kind "${kind}", for which this server has no handler.`);
}
