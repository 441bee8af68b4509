import { withoutCredentials } from '#libs/kernel';
import type { HookLayer } from './layer.js';
import { inShell } from './shell-words.js';

/** How much of a command, a prompt or a URL stands in the name of a hook that has none. */
const NAMED_BY = 20;

/** A hook as the snapshot of a run's settings holds it. */
export type ResolvedHook = ReturnType<typeof resolveHook>;

/** The hooks of a run in their order. Names are unique: of two with one name the later stands in the place of the earlier. */
export function resolveHooks(hooks: readonly HookLayer[]): ResolvedHook[] {
  return [...new Map(hooks.map((hook) => [nameOf(hook), resolveHook(hook)])).values()];
}

function resolveHook(hook: HookLayer) {
  const { event, matcher, blocking, timeout, sandbox, url, headers, tls, prompt, model, max_tool_rounds } = hook;
  return {
    name: nameOf(hook),
    event,
    command: scriptOf(hook) ?? null,
    url: url ?? null,
    headers: headers ?? null,
    ...(tls !== undefined && { tls }),
    ...(hook.agent && { type: 'agent' as const }),
    prompt: prompt ?? null,
    model: model ?? null,
    max_tool_rounds: max_tool_rounds ?? null,
    matcher: matcher ?? null,
    blocking: blocking ?? null,
    timeout_ms: timeout ?? null,
    sandbox: sandbox ?? null,
  };
}

function nameOf(hook: HookLayer): string {
  const { name, id, event, url, prompt } = hook;
  const does = (url && withoutCredentials(url)) ?? scriptOf(hook) ?? prompt ?? '';
  return name ?? id ?? `${event} ${does.slice(0, NAMED_BY)}`;
}

function scriptOf({ script, command }: HookLayer): string | undefined {
  return script ?? (command && inShell(command));
}
