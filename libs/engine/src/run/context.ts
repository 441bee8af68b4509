import type { Json } from '#libs/kernel';
import { held } from './by-name.js';
import type { RunDefinition } from './definition.js';
import type { Cursor } from './state.js';

/** A context value by its flat key: what stages wrote, what the engine keeps at hand, what the graph declared. */
export function contextValue(definition: RunDefinition, cursor: Cursor, key: string): Json | undefined {
  if (Object.hasOwn(cursor.context, key)) return cursor.context[key];
  switch (key) {
    case 'current_node':
      return currentNode(cursor);
    case 'internal.node_visit_count':
      return held(cursor.visits, currentNode(cursor)) ?? 0;
    default:
      return definition.seeds.get(key);
  }
}

function currentNode({ position }: Cursor): string {
  return position.at === 'stage' ? position.stage.node : position.node;
}
