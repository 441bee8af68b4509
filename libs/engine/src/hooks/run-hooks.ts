import { isBlocking, type Hook } from './hook-list.js';
import { PROCEED, type Decision, type Verdict } from './occasion.js';

/**
 * Asks hooks one after another. The first block ends it; of what else they say the first counts. What hooks say that
 * do not block is ignored.
 */
export async function runHooks(hooks: readonly Hook[], ask: (hook: Hook) => Promise<Decision>): Promise<Verdict> {
  let steering: Verdict = PROCEED;
  for (const hook of hooks) {
    const said = await ask(hook);
    if (!isBlocking(hook)) continue;
    if (said.decision === 'block') return { ...said, hook: hook.name };
    if (steering === PROCEED && said.decision !== 'proceed') steering = said;
  }
  return steering;
}
