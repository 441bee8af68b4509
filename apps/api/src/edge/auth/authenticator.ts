import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock } from '#libs/kernel';
import { type Caller } from './caller.js';
import { MalformedCredentialsError, NotSignedInError, TooManyWrongTokensError, UnknownTokenError } from './errors.js';
import { runOf } from './run-tokens.js';
import { SharedLooks } from './shared-looks.js';
import { type TokenDirectory } from './token-directory.js';
import { WrongTokens } from './wrong-tokens.js';

const TOKEN = /^service_(?:dev|worker)_[0-9a-f]{64}$/;
const REFRESH_PREFIX = 'service_refresh_';

const REMEMBERED_FOR_MS = 10_000;
const MAX_REMEMBERED = 1_000;

/** What a look for a token found, and whether its source had sent too many wrong ones before. */
interface Look {
  caller: Caller | undefined;
  isOver: boolean;
}

/**
 * Tells who sent a request from its Authorization header. The known token of a person is remembered for ten seconds,
 * which is how long a revoked one may still work; that of a run, which ends with its run, and an unknown one are looked
 * up each time. Those who come with the same token at the same time share a look. From a source that sent too many wrong
 * tokens all that are not remembered are looked up together, so a right one works from there, too, a moment later.
 */
export class Authenticator {
  private readonly remembered = new LRUCache<string, { caller: Caller; untilMs: number }>({ max: MAX_REMEMBERED });
  private readonly looks = new Map<string, Promise<Look>>();
  private readonly wrong: WrongTokens;
  private readonly sharedLooks: SharedLooks;

  constructor(
    private readonly tokens: TokenDirectory,
    private readonly clock: Clock,
    wrongTokensPerMinute: number,
  ) {
    this.wrong = new WrongTokens(wrongTokensPerMinute, clock);
    this.sharedLooks = new SharedLooks(tokens);
  }

  /**
   * Throws an `unauthenticated` error unless the header names a caller, or a `limited` one when the source has sent too
   * many wrong tokens before this one.
   */
  async callerOf(authorization: string | undefined, source: string): Promise<Caller> {
    const token = tokenIn(authorization);
    const digest = digestOf(token);
    const known = this.remembered.get(digest);
    if (known && known.untilMs > this.clock.now()) return known.caller;
    this.remembered.delete(digest);

    const { caller, isOver } = await (this.looks.get(digest) ?? this.look(token, digest, source));
    if (!caller) throw isOver ? new TooManyWrongTokensError() : new UnknownTokenError();
    return caller;
  }

  private look(token: string, digest: string, source: string): Promise<Look> {
    const isOver = this.wrong.add(source);
    const look = this.judged(token, digest, source, isOver).finally(() => this.looks.delete(digest));
    this.looks.set(digest, look);
    return look;
  }

  /** What could not be looked up is not wrong. */
  private async judged(token: string, digest: string, source: string, isOver: boolean): Promise<Look> {
    let isWrong = false;
    try {
      const caller = await this.find(token, digest, isOver);
      isWrong = caller === undefined;
      if (caller && runOf(caller) === undefined) this.remember(digest, caller);
      return { caller, isOver };
    } finally {
      if (!isWrong) this.wrong.takeOff(source);
    }
  }

  private async find(token: string, digest: string, isOver: boolean): Promise<Caller | undefined> {
    if (!TOKEN.test(token)) return undefined;
    return isOver ? this.sharedLooks.find(digest) : (await this.tokens.findAll([digest])).get(digest);
  }

  private remember(digest: string, caller: Caller): void {
    this.remembered.set(digest, { caller, untilMs: this.clock.now() + REMEMBERED_FOR_MS });
  }
}

/** What the token of a request is known by. Throws an `unauthenticated` error when the header has none. */
export function tokenDigest(authorization: string | undefined): string {
  return digestOf(tokenIn(authorization));
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function tokenIn(authorization: string | undefined): string {
  if (authorization === undefined) throw new NotSignedInError();
  const token = /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1];
  if (token === undefined || token.startsWith(REFRESH_PREFIX)) throw new MalformedCredentialsError();
  return token;
}
