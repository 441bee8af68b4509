import type { AccessTokens } from '#libs/persistence';
import type { Caller } from './caller.js';
import { TokenDirectory } from './token-directory.js';

export class PgTokenDirectory extends TokenDirectory {
  constructor(private readonly tokens: AccessTokens) {
    super();
  }

  findAll(sha256Hexes: readonly string[]): Promise<ReadonlyMap<string, Caller>> {
    return this.tokens.findAll(sha256Hexes);
  }
}
