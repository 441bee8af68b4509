import { isBlocking, type Hook } from '../definition/hook-list.js';
import { PROCEED, type HookReply, type HookDecision } from './hook-decision.js';

/**
 * Asks hooks one after another. The first block ends it; of what else they say the first counts. What hooks say that
 * do not block is ignored.
 */
export async function runHooks(hooks: readonly Hook[], ask: (hook: Hook) => Promise<HookReply>): Promise<HookDecision> {
  let steering: HookDecision = PROCEED;
  for (const hook of hooks) {
    const said = await ask(hook);
    if (!isBlocking(hook)) continue;
    if (said.decision === 'block') return { ...said, hook: hook.name };
    if (steering === PROCEED && said.decision !== 'proceed') steering = said;
  }
  return steering;
}
