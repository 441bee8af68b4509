import { messageOf } from '#libs/kernel';
import { askCommand } from './command-hook.js';
import type { HookCall, HookReport } from './hook-call.js';
import type { Hook } from '../definition/hook-list.js';
import { askServer } from './http-hook.js';

/** How a hook is asked. */
export function kindOfHook({ url }: Hook): 'command' | 'http' {
  return url === null ? 'command' : 'http';
}

/** Asks one hook. Never rejects: a command that cannot be run blocks, a server that cannot be reached does not. */
export async function askHook(hook: Hook, call: HookCall): Promise<HookReport> {
  if (kindOfHook(hook) === 'http') return askServer(hook, call);
  try {
    return await askCommand(hook, call);
  } catch (thrown) {
    const reason = messageOf(thrown);
    return { decision: { decision: 'block', reason }, fault: reason };
  }
}
