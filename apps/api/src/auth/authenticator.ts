import { createHash } from 'node:crypto';
import { type Clock } from '#libs/kernel';
import { type Caller } from './caller.js';
import { MalformedCredentialsError, NotSignedInError, UnknownTokenError } from './errors.js';
import { runOf } from './run-tokens.js';
import { type TokenDirectory } from './token-directory.js';

const TOKEN = /^service_(?:dev|worker)_[0-9a-f]{64}$/;
const REFRESH_PREFIX = 'service_refresh_';

const REMEMBERED_FOR_MS = 10_000;
const MAX_REMEMBERED = 1_000;

/**
 * Tells who sent a request from its Authorization header. The known token of a person is remembered for ten seconds,
 * which is how long a revoked one may still work; that of a run, which ends with its run, and an unknown one are looked
 * up each time. Those who come with the same token at the same time share a look.
 */
export class Authenticator {
  private readonly remembered = new Map<string, { caller: Caller; untilMs: number }>();
  private readonly looks = new Map<string, Promise<Caller | undefined>>();

  constructor(
    private readonly tokens: TokenDirectory,
    private readonly clock: Clock,
  ) {}

  /** Throws an `unauthenticated` error unless the header names a caller. */
  async callerOf(authorization: string | undefined): Promise<Caller> {
    if (authorization === undefined) throw new NotSignedInError();
    const digest = createHash('sha256').update(tokenIn(authorization)).digest('hex');

    const known = this.remembered.get(digest);
    if (known && known.untilMs > this.clock.now()) return known.caller;
    this.remembered.delete(digest);

    const caller = await this.look(digest);
    if (!caller) throw new UnknownTokenError();
    if (runOf(caller) === undefined) this.remember(digest, caller);
    return caller;
  }

  private look(digest: string): Promise<Caller | undefined> {
    const underway = this.looks.get(digest);
    if (underway) return underway;
    const look = this.tokens.find(digest).finally(() => this.looks.delete(digest));
    this.looks.set(digest, look);
    return look;
  }

  private remember(digest: string, caller: Caller): void {
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined && this.remembered.size >= MAX_REMEMBERED) this.remembered.delete(oldest);
    this.remembered.set(digest, { caller, untilMs: this.clock.now() + REMEMBERED_FOR_MS });
  }
}

function tokenIn(authorization: string): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1];
  if (token === undefined || token.startsWith(REFRESH_PREFIX)) throw new MalformedCredentialsError();
  if (!TOKEN.test(token)) throw new UnknownTokenError();
  return token;
}
