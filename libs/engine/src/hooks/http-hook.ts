import { HOOK_TIMEOUT_MS, type HookCall, type HookReport } from './hook-call.js';
import type { Hook } from '../definition/hook-list.js';
import { PROCEED } from './hook-decision.js';
import { readDecision } from './read-decision.js';

/** One sentence for every reason, so that the author of a hook learns nothing about the network of this server. */
const NO_ANSWER =
  'no answer from the server of the hook: it refused, took too long, or is at an address that hooks may not reach (server.hooks.reach)';

/**
 * Tells a server of the moment. Only an answer of class 2xx with a decision in it decides; a server that is away or
 * answers anything else does not hold up the run. The name of the call is its `Idempotency-Key`.
 */
export async function askServer({ url, headers, tls, timeout_ms }: Hook, call: HookCall): Promise<HookReport> {
  try {
    const { status, body } = await call.http.post({
      url: url ?? '',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': call.id },
      body: JSON.stringify(call.payload),
      verifiesTls: tls !== 'no_verify',
      timeoutMs: timeout_ms ?? HOOK_TIMEOUT_MS,
      signal: call.signal,
    });
    if (status < 200 || status > 299)
      return { decision: PROCEED, fault: `the server of the hook answered ${Math.floor(status / 100)}xx` };
    return { decision: readDecision(body) ?? PROCEED };
  } catch {
    return { decision: PROCEED, fault: NO_ANSWER };
  }
}
