import { RunyardError } from '#libs/kernel';

/** The token has as many event streams open as it may. */
class TooManyStreamsError extends RunyardError {
  override readonly code = 'too_many_streams';
  readonly kind = 'limited';

  constructor(limit: number) {
    super(`This token has ${limit} event streams open here, and may have no more. End one, then try again.`);
  }
}

/** Keeps one token from holding more event streams of this process than it may. */
export class StreamsPerToken {
  private readonly open = new Map<string, number>();

  constructor(private readonly limit: number) {}

  /** Counts one more stream until the returned function is called. Throws a `limited` error when there are too many. */
  take(token: string): () => void {
    const before = this.open.get(token) ?? 0;
    if (before >= this.limit) throw new TooManyStreamsError(this.limit);
    this.open.set(token, before + 1);
    return () => {
      const now = this.open.get(token)! - 1;
      if (now > 0) this.open.set(token, now);
      else this.open.delete(token);
    };
  }
}
