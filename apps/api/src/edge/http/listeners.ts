import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

export interface Listener {
  /** The socket's path, or `http://host:port`. */
  readonly address: string;
  /** Takes no new connections, gives open requests a moment and then drops them. Closing twice is closing once. */
  close(): Promise<void>;
}

/** Everything the app listens on. Closed when the app closes, after its streams have ended. */
@Injectable()
export class Listeners implements BeforeApplicationShutdown {
  private readonly open = new Set<Listener>();

  add(listener: Listener): void {
    this.open.add(listener);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.open].map((listener) => listener.close()));
  }
}
