import { union } from '../schema/composites.js';
import { Choice, Nested, Tag, Text } from '../schema/decorators.js';

class IdpIdentity {
  @Text() issuer!: string;
  @Text() subject!: string;
}

class PrincipalUser {
  @Tag('user') kind!: 'user';
  @Nested(IdpIdentity) identity!: IdpIdentity;
  @Text() login!: string;
  @Choice(['hosted_git', 'dev_token'], { name: 'AuthMethod' }) auth_method!: 'hosted_git' | 'dev_token';
  @Text({ optional: true, nullable: true }) avatar_url?: string | null;
}

class PrincipalWorker {
  @Tag('worker') kind!: 'worker';
  @Text() run_id!: string;
}

class PrincipalWebhook {
  @Tag('webhook') kind!: 'webhook';
  @Text() delivery_id!: string;
}

class PrincipalChat {
  @Tag('chat') kind!: 'chat';
  @Text() team_id!: string;
  @Text() user_id!: string;
  @Text({ optional: true, nullable: true }) user_name?: string | null;
}

class PrincipalAgent {
  @Tag('agent') kind!: 'agent';
  @Text({ optional: true, nullable: true }) session_id?: string | null;
  @Text({ optional: true, nullable: true }) parent_session_id?: string | null;
  @Text({ optional: true, nullable: true }) model?: string | null;
}

class PrincipalSystem {
  @Tag('system') kind!: 'system';
  @Choice(['engine', 'watchdog', 'timeout'], { name: 'SystemActorKind' }) system_kind!:
    'engine' | 'watchdog' | 'timeout';
}

/** Who did something. */
export type Principal =
  PrincipalUser | PrincipalWorker | PrincipalWebhook | PrincipalChat | PrincipalAgent | PrincipalSystem;

export const principal = union('Principal', 'kind', {
  user: PrincipalUser,
  worker: PrincipalWorker,
  webhook: PrincipalWebhook,
  chat: PrincipalChat,
  agent: PrincipalAgent,
  system: PrincipalSystem,
});
