import { union } from '../schema/composites.js';
import { OneOf, Nested, Discriminator, Text } from '../schema/decorators.js';

class IdpIdentity {
  @Text() issuer!: string;
  @Text() subject!: string;
}

class PrincipalUser {
  @Discriminator('user') kind!: 'user';
  @Nested(IdpIdentity) identity!: IdpIdentity;
  @Text() login!: string;
  @OneOf(['hosted_git', 'dev_token'], { name: 'AuthMethod' }) auth_method!: 'hosted_git' | 'dev_token';
  @Text({ optional: true, nullable: true }) avatar_url?: string | null;
}

class PrincipalWorker {
  @Discriminator('worker') kind!: 'worker';
  @Text() run_id!: string;
}

class PrincipalWebhook {
  @Discriminator('webhook') kind!: 'webhook';
  @Text() delivery_id!: string;
}

class PrincipalChat {
  @Discriminator('chat') kind!: 'chat';
  @Text() team_id!: string;
  @Text() user_id!: string;
  @Text({ optional: true, nullable: true }) user_name?: string | null;
}

class PrincipalAgent {
  @Discriminator('agent') kind!: 'agent';
  @Text({ optional: true, nullable: true }) session_id?: string | null;
  @Text({ optional: true, nullable: true }) parent_session_id?: string | null;
  @Text({ optional: true, nullable: true }) model?: string | null;
}

class PrincipalSystem {
  @Discriminator('system') kind!: 'system';
  @OneOf(['engine', 'watchdog', 'timeout'], { name: 'SystemActorKind' }) system_kind!:
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
