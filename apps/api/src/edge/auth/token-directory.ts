import { type Caller } from './caller.js';

/** Whose token this is. Tokens are known by their digest only. */
export abstract class TokenDirectory {
  /**
   * The callers that the tokens with these SHA-256 digests (hexadecimal, lower case) stand for, by digest; those that
   * stand for nobody, or were revoked, are left out. A failure to look throws an `unavailable` error and never means
   * "no caller".
   */
  abstract findAll(sha256Hexes: readonly string[]): Promise<ReadonlyMap<string, Caller>>;
}
