import type { Json } from '#libs/kernel';
import { evaluate } from '#libs/language';
import type { IsOpen } from '../human/options.js';
import type { WalkContext } from './walk-context.js';

/**
 * Whether the condition of a gate's edge will hold once that edge is chosen: the gate has succeeded then and prefers its
 * label, and the rest of the context is as it is now, since the path stands still while it asks.
 */
export function isOpenTo(walk: WalkContext): IsOpen {
  return (edge, { key, label }) => {
    if (edge.condition === undefined) return true;
    const afterwards: Readonly<Record<string, Json>> = {
      outcome: 'succeeded',
      failure_class: '',
      failure_signature: '',
      preferred_label: label,
      'human.gate.selected': key,
      'human.gate.label': label,
    };
    const lookup = (name: string): Json | undefined =>
      Object.hasOwn(afterwards, name) ? afterwards[name] : walk.lookup(name);
    return evaluate(walk.workflow.conditionOf(edge), { outcome: 'succeeded', preferredLabel: label, lookup });
  };
}
