import { describe, expect, it } from '@jest/globals';
import { aHook } from '../../../../test/support/a-hook.js';
import type { HookReply } from './hook-decision.js';
import { runHooks } from './run-hooks.js';

const PROCEED: HookReply = { decision: 'proceed' };
const SKIP: HookReply = { decision: 'skip', reason: 'first' };
const BLOCK: HookReply = { decision: 'block', reason: 'no' };
const FIX: HookReply = { decision: 'override', edge_to: 'fix' };

/** Asks hooks of which each says one thing; a `?` marks one that does not decide. */
async function asked(...says: [HookReply, '?'?][]) {
  const order: string[] = [];
  const hooks = says.map(([, mark], n) => aHook({ name: `${n}`, blocking: mark !== '?' }));
  const decision = await runHooks(hooks, async ({ name }) => {
    order.push(name);
    return says[Number(name)]![0];
  });
  return { decision, order: order.join('') };
}

describe('several hooks', () => {
  it.each<[string, [HookReply, '?'?][], object, string]>([
    ['proceed when all do', [[PROCEED], [PROCEED]], PROCEED, '01'],
    ['stop at the first block, and name it', [[PROCEED], [BLOCK], [PROCEED]], { ...BLOCK, hook: '1' }, '01'],
    ['are all asked after a skip, since a block outweighs it', [[SKIP], [BLOCK]], { ...BLOCK, hook: '1' }, '01'],
    ['follow the first of what else they say', [[PROCEED], [FIX], [SKIP]], FIX, '012'],
    ['pass over what one says that does not decide', [[BLOCK, '?'], [SKIP, '?'], [PROCEED]], PROCEED, '012'],
    [
      'are all asked when none decides',
      [
        [BLOCK, '?'],
        [BLOCK, '?'],
      ],
      PROCEED,
      '01',
    ],
  ])('%s', async (_, says, decision, order) => {
    expect(await asked(...says)).toEqual({ decision, order });
  });
});
