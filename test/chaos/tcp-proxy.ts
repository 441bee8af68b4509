import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Stands between processes and a server, and hurts what goes through. */
export class TcpProxy {
  private readonly pairs = new Set<readonly [net.Socket, net.Socket]>();
  private readonly forgotten: net.Socket[] = [];
  private readonly usedAtMs = new WeakMap<net.Socket, number>();
  private refusing = false;
  private hanging = false;
  private delayMs = 0;

  private constructor(
    private readonly server: net.Server,
    private target: { host: string; port: number },
  ) {
    server.on('connection', (client) => this.join(client));
  }

  /** In front of the server that a URL names. */
  static async before(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const server = net.createServer({ allowHalfOpen: false }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, { host: hostname, port: Number(port) });
  }

  /** The URL by which this proxy is reached instead. */
  urlOf(url: string): string {
    const { port } = this.server.address() as AddressInfo;
    return Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
  }

  /** New connections go there: another server took the place of the first one. */
  moveTo(url: string): void {
    const { hostname, port } = new URL(url);
    this.target = { host: hostname, port: Number(port) };
  }

  /** Breaks what is open; new connections are let through. */
  cut(): void {
    for (const [client, upstream] of this.pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  }

  /** Breaks what is open, and whatever comes. */
  refuse(): void {
    this.refusing = true;
    this.cut();
  }

  /** Keeps every connection and passes nothing on. */
  hang(): void {
    this.hanging = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** What carried nothing for this long is forgotten: its server sees an end, its client hears nothing for ever. */
  forgetIdle(idleMs: number): number {
    const idle = [...this.pairs].filter(([client]) => performance.now() - (this.usedAtMs.get(client) ?? 0) > idleMs);
    for (const pair of idle) {
      const [client, upstream] = pair;
      this.pairs.delete(pair);
      this.forgotten.push(client);
      client.removeAllListeners('data').removeAllListeners('close').resume();
      upstream.removeAllListeners('close').destroy();
    }
    return idle.length;
  }

  /** Passes nothing on any more for what is open, and tells nobody; new connections are let through. */
  forget(): void {
    for (const pair of this.pairs) {
      for (const socket of pair) socket.pause();
      this.forgotten.push(...pair);
    }
    this.pairs.clear();
  }

  /** Holds everything back for this long, in both directions. */
  delay(ms: number): void {
    this.delayMs = ms;
  }

  heal(): void {
    this.refusing = false;
    this.delayMs = 0;
    if (!this.hanging) return;
    this.hanging = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    for (const socket of this.forgotten) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: net.Socket): void {
    client.on('error', () => undefined);
    if (this.refusing) return void client.resetAndDestroy();
    const upstream = net.connect(this.target);
    upstream.on('error', () => undefined);
    const pair = [client, upstream] as const;
    this.pairs.add(pair);
    const use = (): void => void this.usedAtMs.set(client, performance.now());
    use();
    for (const socket of pair) socket.on('data', use);
    this.pass(client, upstream);
    this.pass(upstream, client);
    if (this.hanging) for (const socket of pair) socket.pause();
  }

  /** Nothing overtakes what came before it, however the delay changes. */
  private pass(from: net.Socket, to: net.Socket): void {
    let passed = Promise.resolve();
    from.on('data', (chunk) => {
      const dueMs = performance.now() + this.delayMs;
      passed = passed.then(async () => {
        const restMs = dueMs - performance.now();
        if (restMs > 0) await sleep(restMs);
        if (to.write(chunk)) return;
        from.pause();
        to.once('drain', () => this.hanging || from.resume());
      });
    });
    from.once('close', () => {
      void passed.then(() => to.destroy());
      for (const pair of this.pairs) if (pair.includes(from)) this.pairs.delete(pair);
    });
  }
}
