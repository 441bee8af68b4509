import { workflow } from '../support/api-caller.js';

/** Events of one stage that only decides: started, completed, edge selected, checkpoint. */
const EVENTS_OF_A_DECISION = 4;

/**
 * A workflow whose run says about this many things, each with its node's label, spread over so many rests of a second:
 * start -> d0 -> d1 -> ... -> r0 -> ... -> exit
 */
export function talkative(events: number, rests: number, label = 'Decide'): string {
  const decisions = Math.ceil(events / EVENTS_OF_A_DECISION);
  const every = Math.ceil(decisions / (rests + 1));
  const nodes = Array.from({ length: decisions }, (_, i) => (i % every === every - 1 ? `r${i}` : `d${i}`));
  const steps = [...nodes, 'exit'].map((id, i) => `${nodes[i - 1] ?? 'start'} -> ${id}`);
  const resting = nodes.filter((id) => id.startsWith('r'));
  const deciding = nodes.filter((id) => id.startsWith('d'));
  return workflow(`${resting.map((id) => `${id} [script="sleep 1"]`).join('\n')}
    node [shape=diamond, label=${JSON.stringify(label)}] ${deciding.join(' ')}
    ${steps.join('\n')}`);
}
