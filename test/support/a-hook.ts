import type { Hook } from '#libs/engine';

/** A hook that runs a command before each stage, where nothing else is said. */
export function aHook(more: Partial<Hook> = {}): Hook {
  return {
    name: 'guard',
    event: 'stage_start',
    command: more.url ? null : 'true',
    url: null,
    headers: null,
    prompt: null,
    model: null,
    max_tool_rounds: null,
    matcher: null,
    blocking: null,
    timeout_ms: null,
    sandbox: null,
    ...more,
  };
}
