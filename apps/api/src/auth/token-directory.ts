import { type Caller } from './caller.js';

/** Whose token this is. Tokens are known by their digest only. */
export abstract class TokenDirectory {
  /**
   * The caller that the token with this SHA-256 digest (hexadecimal, lower case) stands for; undefined when there is
   * none or it was revoked. A failure to look throws an `unavailable` error and never means "no caller".
   */
  abstract find(sha256Hex: string): Promise<Caller | undefined>;
}
