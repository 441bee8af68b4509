import { PrismaPg } from '@prisma/adapter-pg';
import type { RunKey } from '#libs/engine';
import type { Principal } from '#libs/events';
import type { TenantId } from '#libs/kernel';
import { OVER_STATUSES } from '#libs/runs';
import { SILENCE_MS } from '../database.js';
import { DatabaseUnavailableError, isConnectionFault, isOverloadFault } from '../errors.js';
import { PrismaClient } from '../generated/client.js';

export type TokenRole = 'viewer' | 'operator' | 'editor' | 'admin';

export interface TokenHolder {
  tenantId: TenantId;
  role: TokenRole;
  principal: Principal;
}

/** Access tokens, known by their digest only. */
export class AccessTokens {
  private readonly prisma: PrismaClient;

  constructor(connectionString: string, { silenceMs = SILENCE_MS }: { silenceMs?: number } = {}) {
    const adapter = new PrismaPg({
      connectionString,
      max: 2,
      connectionTimeoutMillis: 1_500,
      query_timeout: silenceMs,
      keepAlive: true,
      options: '-c role=runyard_app -c synchronous_commit=on -c statement_timeout=10000 -c lock_timeout=2000',
    });
    this.prisma = new PrismaClient({ adapter });
  }

  /** The holder of one token; as {@link findAll}. */
  async find(sha256Hex: string): Promise<TokenHolder | undefined> {
    return (await this.findAll([sha256Hex])).get(sha256Hex);
  }

  /**
   * The holders of the tokens with these SHA-256 digests, by digest. Left out are those that nobody has, that were revoked,
   * and those whose time is over by the database's clock, or the run that they stand for is.
   */
  findAll(sha256Hexes: readonly string[]): Promise<ReadonlyMap<string, TokenHolder>> {
    return this.ask(async () => {
      const found = await this.prisma.$queryRaw<(TokenHolder & { sha256: string })[]>`
        SELECT t.token_sha256 AS "sha256", t.tenant_id AS "tenantId", t.role, t.principal
          FROM access_tokens t LEFT JOIN run_heads h ON h.tenant_id = t.tenant_id AND h.run_id = t.run_id
         WHERE t.token_sha256 = ANY (${[...sha256Hexes]}) AND t.revoked_at IS NULL
           AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
           AND (t.run_id IS NULL OR h.status <> ALL (${[...OVER_STATUSES]}))`;
      return new Map(found.map(({ sha256, ...holder }) => [sha256, holder]));
    });
  }

  /** Adds a token; harmless when it is known. */
  add(sha256Hex: string, { tenantId, role, principal }: TokenHolder): Promise<void> {
    return this.ask(async () => {
      await this.prisma.accessToken.upsert({
        where: { tokenSha256: sha256Hex },
        create: { tokenSha256: sha256Hex, tenantId, role, principal: principal },
        update: {},
      });
    });
  }

  /** Removes a token; harmless when it is not known. */
  remove(sha256Hex: string): Promise<void> {
    return this.ask(async () => {
      await this.prisma.accessToken.deleteMany({ where: { tokenSha256: sha256Hex } });
    });
  }

  /** Adds a token that stands for a run, and removes those of the run whose time is over, by the database's clock. */
  addForRun(sha256Hex: string, { tenantId, runId }: RunKey, lifetimeMs: number): Promise<void> {
    const principal: Principal = { kind: 'worker', run_id: runId };
    return this.ask(async () => {
      await this.prisma.$transaction([
        this.prisma.$executeRaw`
          DELETE FROM access_tokens
           WHERE tenant_id = ${tenantId} AND run_id = ${runId} AND expires_at <= clock_timestamp()`,
        this.prisma.$executeRaw`
          INSERT INTO access_tokens (token_sha256, tenant_id, run_id, role, principal, expires_at)
          VALUES (${sha256Hex}, ${tenantId}, ${runId}, 'operator', ${JSON.stringify(principal)}::jsonb,
                  clock_timestamp() + ${lifetimeMs} * interval '1 millisecond')`,
      ]);
    });
  }

  /** Whether anybody can sign in. */
  async hasAny(): Promise<boolean> {
    return this.ask(async () => (await this.prisma.accessToken.count({ where: { revokedAt: null, runId: null } })) > 0);
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect();
  }

  private async ask<T>(query: () => Promise<T>): Promise<T> {
    try {
      return await query();
    } catch (thrown) {
      throw isUnreachable(thrown) ? new DatabaseUnavailableError(thrown) : thrown;
    }
  }
}

/** Prisma's own codes for a server that is not there, that closed the connection, and for no connection in time. */
const AWAY = new Set(['P1001', 'P1017', 'P2024']);

interface PrismaFault {
  code?: string;
  cause?: unknown;
  /** What PostgreSQL said, where it said anything. */
  meta?: { driverAdapterError?: { cause?: { originalCode?: string } } };
}

function isUnreachable(thrown: unknown): boolean {
  const { code = '', cause, meta } = thrown as PrismaFault;
  const said = { code: meta?.driverAdapterError?.cause?.originalCode };
  return AWAY.has(code) || [thrown, cause, said].some((fault) => isConnectionFault(fault) || isOverloadFault(fault));
}
