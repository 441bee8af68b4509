import type { AccessTokens } from '#libs/persistence';
import type { Caller } from '../auth/caller.js';
import { TokenDirectory } from '../auth/token-directory.js';

export class PgTokenDirectory extends TokenDirectory {
  constructor(private readonly tokens: AccessTokens) {
    super();
  }

  async find(sha256Hex: string): Promise<Caller | undefined> {
    const holder = await this.tokens.find(sha256Hex);
    return holder && { ...holder, principal: holder.principal };
  }
}
