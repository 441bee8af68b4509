export { HOOK_EVENTS, type HookEvent } from './hook-events.js';
export { parseInput, type InputValue, type ParsedInput } from './inputs.js';
export { type EnvironmentLayer, type Layer } from './layer.js';
export { mergeLayers } from './merge-layers.js';
export { parseLayer, type ParsedLayer } from './parse-layer.js';
export type { ResolvedHook } from './resolve-hooks.js';
export {
  contradictionsIn,
  limitsOf,
  resolveEnvironment,
  resolveLayer,
  type ResolvedSettings,
} from './resolve-settings.js';
export { parseDuration } from './values.js';
