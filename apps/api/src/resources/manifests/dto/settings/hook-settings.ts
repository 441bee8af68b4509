import { HOOK_EVENTS, type HookEvent } from '#libs/settings';
import { OneOf, Flag, Integer, MapOf, Text } from '../../../../edge/schema/decorators.js';
import { textKind } from '../../../../edge/schema/values.js';

export const HOOK_TYPES = ['command', 'http', 'prompt', 'agent'] as const;
export const TLS_MODES = ['verify', 'no_verify', 'off'] as const;

/** Something that happens at a moment of a run: a command, a call, or a question to a model. */
export class HookDefinition {
  @Text({ nullable: true }) name!: string | null;
  @OneOf(HOOK_EVENTS, { name: 'HookEvent' }) event!: HookEvent;
  @Text({ nullable: true }) command!: string | null;
  @OneOf(HOOK_TYPES, { optional: true, nullable: true }) type?: (typeof HOOK_TYPES)[number] | null;
  @Text({ optional: true, nullable: true }) url?: string | null;
  @MapOf(textKind(), { optional: true, nullable: true }) headers?: Record<string, string> | null;
  @OneOf(TLS_MODES, { name: 'TlsMode', optional: true }) tls?: (typeof TLS_MODES)[number];
  @Text({ optional: true, nullable: true }) prompt?: string | null;
  @Text({ optional: true, nullable: true }) model?: string | null;
  @Integer({ format: 'int32', optional: true, nullable: true }) max_tool_rounds?: number | null;
  @Text({ nullable: true }) matcher!: string | null;
  @Flag({ nullable: true }) blocking!: boolean | null;
  @Integer({ format: 'int64', nullable: true }) timeout_ms!: number | null;
  @Flag({ nullable: true }) sandbox!: boolean | null;
}
