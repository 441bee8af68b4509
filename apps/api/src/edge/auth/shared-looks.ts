import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller } from './caller.js';
import { type TokenDirectory } from './token-directory.js';

const GATHER_MS = 250;

/** Looks for tokens together, in one question every quarter of a second, however many there are. */
export class SharedLooks {
  private group: { digests: Set<string>; found: Promise<ReadonlyMap<string, Caller>> } | undefined;

  constructor(private readonly tokens: TokenDirectory) {}

  /** As {@link TokenDirectory.findAll} has it. */
  async find(sha256Hex: string): Promise<Caller | undefined> {
    const { digests, found } = (this.group ??= this.gather());
    digests.add(sha256Hex);
    return (await found).get(sha256Hex);
  }

  private gather(): NonNullable<SharedLooks['group']> {
    const digests = new Set<string>();
    const found = sleep(GATHER_MS).then(() => {
      this.group = undefined;
      return this.tokens.findAll([...digests]);
    });
    return { digests, found };
  }
}
