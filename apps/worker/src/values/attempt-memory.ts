import { Semaphore } from '#libs/kernel';

/** A quarter of the memory is for lists, which an attempt reads at its end, with what it wrote in hand. */
const PART_FOR_LISTS = 4;

/** The memory of one worker for large values of its attempts, in bytes. What they take is estimated, from above. */
export class ValueMemory {
  readonly values: Semaphore;
  readonly lists: Semaphore;

  constructor(bytes: number) {
    const lists = Math.floor(bytes / PART_FOR_LISTS);
    this.lists = new Semaphore(lists);
    this.values = new Semaphore(bytes - lists);
  }
}

/**
 * What one attempt holds of it: at most one share for values, which it gives back before it waits for another, and after
 * that one for lists, with which it waits for nothing more. So attempts that wait never wait for each other.
 */
export class AttemptMemory {
  private ofValues: (() => void) | undefined;
  private ofLists: (() => void) | undefined;

  constructor(private readonly all: ValueMemory) {}

  /** Waits until the attempt may hold about so many bytes. Rejects with the reason of the signal once that aborts. */
  async reserve(bytes: number, signal: AbortSignal): Promise<void> {
    this.free();
    this.ofValues = await this.all.values.take(bytes, signal);
  }

  /** The same for lists, beside what it holds. Nothing is reserved after it. */
  async reserveForLists(bytes: number, signal: AbortSignal): Promise<void> {
    this.ofLists?.();
    this.ofLists = await this.all.lists.take(bytes, signal);
  }

  /** Nothing large is held any more. */
  free(): void {
    this.ofValues?.();
    this.ofLists?.();
    this.ofValues = this.ofLists = undefined;
  }
}
