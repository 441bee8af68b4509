import type { Principal } from '#libs/events';
import type { TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';

export type TokenRole = 'viewer' | 'operator' | 'editor' | 'admin';

export interface TokenHolder {
  tenantId: TenantId;
  role: TokenRole;
  principal: Principal;
}

const findToken: Statement = {
  name: 'find-token',
  text: `SELECT tenant_id AS "tenantId", role, principal FROM access_tokens WHERE token_sha256 = $1 AND revoked_at IS NULL`,
};

const addToken: Statement = {
  name: 'add-token',
  text: `INSERT INTO access_tokens (token_sha256, tenant_id, role, principal) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
};

const countTokens: Statement = {
  name: 'count-tokens',
  text: 'SELECT count(*)::int AS count FROM access_tokens WHERE revoked_at IS NULL',
};

/** Access tokens, known by their digest only. */
export class AccessTokens {
  constructor(private readonly database: Database) {}

  async find(sha256Hex: string): Promise<TokenHolder | undefined> {
    const [holder] = await this.database.queryAgain<TokenHolder>(findToken, [sha256Hex]);
    return holder;
  }

  async add(sha256Hex: string, holder: TokenHolder): Promise<void> {
    await this.database.queryAgain(addToken, [sha256Hex, holder.tenantId, holder.role, holder.principal]);
  }

  async hasAny(): Promise<boolean> {
    const [row] = await this.database.queryAgain<{ count: number }>(countTokens);
    return (row?.count ?? 0) > 0;
  }
}
