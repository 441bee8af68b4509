import { RE2JS } from 're2js';
import type { HookEvent, ResolvedHook } from '#libs/settings';
import type { HookFacts } from './hook-point.js';

/** A hook as the settings of a run describe it. */
export type Hook = ResolvedHook;

/** Moments at which hooks decide unless they say otherwise. */
const DECIDING: ReadonlySet<HookEvent> = new Set([
  'run_start',
  'stage_start',
  'edge_selected',
  'sandbox_ready',
  'pre_tool_use',
]);

/** Whether what a hook says counts. What the others say is ignored; they are waited for all the same. */
export function isBlocking({ blocking, event }: Hook): boolean {
  return blocking ?? DECIDING.has(event);
}

/** The hooks of a run in their order. A run without hooks pays nothing for asking. */
export class HookList {
  private readonly byEvent = new Map<HookEvent, { hook: Hook; concerns: (facts: HookFacts) => boolean }[]>();

  constructor(private readonly hooks: readonly Hook[]) {
    for (const hook of hooks) {
      const entry = { hook, concerns: concern(hook.matcher) };
      this.byEvent.set(hook.event, [...(this.byEvent.get(hook.event) ?? []), entry]);
    }
  }

  has(event: HookEvent): boolean {
    return this.byEvent.has(event);
  }

  /** Whether some hook works in the sandbox. */
  get needSandbox(): boolean {
    return this.hooks.some(({ command }) => command !== null);
  }

  /** Those that a moment concerns. */
  concernedBy(event: HookEvent, facts: HookFacts): Hook[] {
    const entries = this.byEvent.get(event) ?? [];
    return entries.filter(({ concerns }) => concerns(facts)).map(({ hook }) => hook);
  }
}

/** A pattern is searched for in the names a moment has; one that is no pattern is found nowhere. */
function concern(matcher: string | null): (facts: HookFacts) => boolean {
  if (matcher === null) return () => true;
  const pattern = compiled(matcher);
  return ({ node_id, handler_type, edge_to, edge_from }) =>
    [node_id, handler_type, edge_to, edge_from].some((name) => name !== undefined && pattern?.matcher(name).find());
}

function compiled(matcher: string): RE2JS | undefined {
  try {
    return RE2JS.compile(matcher);
  } catch {
    return undefined;
  }
}
