/** Closes what was opened, the last first. What cannot be closed keeps nothing else open. */
export class CloseStack {
  private closers: (() => unknown)[] = [];

  /** Remembers how something is closed that was opened just now, and gives it back. */
  add<T>(opened: T, close: (opened: T) => unknown): T {
    this.closers.push(() => close(opened));
    return opened;
  }

  /** Closes each once, however often it is called. Rejects with the first fault, after everything else is closed. */
  async close(): Promise<void> {
    const closers = this.closers.toReversed();
    this.closers = [];
    const faults: unknown[] = [];
    for (const close of closers) {
      try {
        await close();
      } catch (thrown) {
        faults.push(thrown);
      }
    }
    if (faults.length > 0) throw faults[0];
  }
}

/** Opens something that has several parts. When one of them fails, those before it are closed; its fault is what counts. */
export async function openWhole<T>(open: (opened: CloseStack) => Promise<T>): Promise<T> {
  const opened = new CloseStack();
  try {
    return await open(opened);
  } catch (thrown) {
    await Promise.allSettled([opened.close()]);
    throw thrown;
  }
}
