import { goalInBrief } from '#libs/events';
import type { WalkContext } from './walk-context.js';

/** The run begins, or begins again at the target of a loop restart. */
export function sayStarted(walk: WalkContext): void {
  const { name, goal } = walk.definition;
  walk.say({ event: 'run.started', properties: { name, ...(goal && goalInBrief(goal)) } });
  walk.say({ event: 'run.running', properties: {} });
}
