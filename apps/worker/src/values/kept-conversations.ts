import { LRUCache } from 'lru-cache';
import type { Lease, ModelMessage, StageTask } from '#libs/engine';

type Conversations = StageTask['threads'];

/** Characters of all conversations together. */
const MAX_LENGTH = 32 * 1024 * 1024;
const OVERHEAD = 64;

/** The conversations of all runs of a worker. Of more than it keeps the ones that were not gone on with for longest are lost. */
export class KeptConversations {
  private readonly kept = new LRUCache<string, readonly ModelMessage[]>({
    maxSize: MAX_LENGTH,
    sizeCalculation: (messages) => messages.reduce((sum, { text }) => sum + text.length + OVERHEAD, OVERHEAD),
  });

  /** Those of one run in one epoch: between two epochs others may have gone on with them. */
  of({ tenantId, runId, epoch }: Lease): Conversations {
    const nameOf = (name: string): string => `${tenantId} ${runId} ${epoch} ${name}`;
    return {
      get: (name) => this.kept.get(nameOf(name)),
      set: (name, messages) => this.kept.set(nameOf(name), messages),
    };
  }
}
