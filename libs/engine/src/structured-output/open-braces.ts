const MAX_DEPTH = 1024;
const MASK = MAX_DEPTH - 1;

/** Where the braces that are open in one reading of a text began, the innermost last. Of more than 1,024 the outermost are forgotten. */
export class OpenBraces {
  private starts = new Int32Array(MAX_DEPTH);
  private next = 0;
  private size = 0;

  push(start: number): void {
    this.starts[this.next++ & MASK] = start;
    if (this.size < MAX_DEPTH) this.size++;
  }

  /** Closes the innermost brace and says where it began. */
  pop(): number | undefined {
    if (this.size === 0) return undefined;
    this.size--;
    return this.starts[--this.next & MASK];
  }

  /**
   * Goes on as one with another reading, which is empty afterwards. Braces of both that the same brace will close become
   * one, which begins where the earlier began, unless that one is `dead`. Each comparison takes one brace away, so all
   * of them together are no more than the braces of the text.
   */
  absorb(other: OpenBraces, dead: (start: number) => boolean): void {
    if (other.size === 0) return;
    if (other.size > this.size) this.exchange(other);
    for (let depth = 1; depth <= other.size; depth++) {
      const here = (this.next - depth) & MASK;
      const [mine, theirs] = [this.starts[here] as number, other.starts[(other.next - depth) & MASK] as number];
      const [first, second] = mine < theirs ? [mine, theirs] : [theirs, mine];
      this.starts[here] = dead(first) ? second : first;
    }
    other.size = 0;
  }

  private exchange(other: OpenBraces): void {
    [this.starts, other.starts] = [other.starts, this.starts];
    [this.next, other.next] = [other.next, this.next];
    [this.size, other.size] = [other.size, this.size];
  }
}
