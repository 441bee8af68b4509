/** Gives back the least of what was put in, and takes steps in proportion to the logarithm of how much that is. */
export class Heap<T> {
  private readonly items: T[] = [];

  constructor(private readonly isLess: (a: T, b: T) => boolean) {}

  get least(): T | undefined {
    return this.items[0];
  }

  put(item: T): void {
    const { items, isLess } = this;
    let at = items.length;
    for (let above; at > 0 && isLess(item, items[(above = (at - 1) >> 1)]!); at = above) items[at] = items[above]!;
    items[at] = item;
  }

  take(): T | undefined {
    const { items } = this;
    const least = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.sink(last);
    return least;
  }

  /** Puts an item in the place of the least one. */
  private sink(item: T): void {
    const { items, isLess } = this;
    let at = 0;
    for (let below = 1; below < items.length; below = 2 * at + 1) {
      if (below + 1 < items.length && isLess(items[below + 1]!, items[below]!)) below++;
      if (!isLess(items[below]!, item)) break;
      items[at] = items[below]!;
      at = below;
    }
    items[at] = item;
  }
}
