/** Whoever comes back within this time finds its channel still open. */
const KEPT_MS = 5_000;

interface Wanted {
  listeners: number;
  leaving: NodeJS.Timeout | undefined;
}

/** The channels that somebody in this process listens to, or did until a moment ago. */
export class WantedChannels {
  private readonly channels = new Map<string, Wanted>();

  constructor(private readonly change: (channel: string, isWanted: boolean) => void) {}

  get all(): readonly string[] {
    return [...this.channels.keys()];
  }

  /** One more listener of a channel, until the returned function is called. */
  join(channel: string): () => void {
    const wanted = this.channels.get(channel) ?? this.open(channel);
    clearTimeout(wanted.leaving);
    wanted.listeners += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      wanted.listeners -= 1;
      if (wanted.listeners === 0) this.leaveLater(channel, wanted);
    };
  }

  close(): void {
    for (const { leaving } of this.channels.values()) clearTimeout(leaving);
    this.channels.clear();
  }

  private open(channel: string): Wanted {
    const wanted = { listeners: 0, leaving: undefined };
    this.channels.set(channel, wanted);
    this.change(channel, true);
    return wanted;
  }

  private leaveLater(channel: string, wanted: Wanted): void {
    if (this.channels.get(channel) !== wanted) return;
    wanted.leaving = setTimeout(() => {
      this.channels.delete(channel);
      this.change(channel, false);
    }, KEPT_MS).unref();
  }
}
