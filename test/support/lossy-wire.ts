import { connect, createServer, type AddressInfo, type Server } from 'node:net';

type Loss = 'reply' | 'request';

/** A wire to PostgreSQL that can lose what it carries. */
export class LossyWire {
  private losing: { what: Loss; statement: string; meanwhile: () => Promise<void> } | undefined;
  private holding: { statement: string; held: (deliver: () => Promise<void>) => void } | undefined;
  private constructor(private readonly server: Server) {}

  /**
   * Breaks the connection of the next such statement and keeps what it sent. Resolves then, with a way to deliver it
   * after all; that resolves when it was answered.
   */
  holdUp(statement: string): Promise<() => Promise<void>> {
    return new Promise((held) => (this.holding = { statement, held }));
  }

  /** Breaks the connection of the next such statement: as soon as it was sent, or once it was answered (and more happened). */
  lose(what: Loss, statement: string, meanwhile = async (): Promise<void> => undefined): void {
    this.losing = { what, statement, meanwhile };
  }

  get hasLost(): boolean {
    return this.losing === undefined;
  }

  static async to(connectionString: string): Promise<{ wire: LossyWire; connectionString: string }> {
    const url = new URL(connectionString);
    const upstreamAddress = { host: url.hostname, port: Number(url.port), noDelay: true };
    const server = createServer({ noDelay: true }, (client) => {
      const upstream = connect(upstreamAddress);
      let beforeLoss: (() => Promise<void>) | undefined;
      let isHeldUp = false;
      client.on('data', (data) => {
        const { holding } = wire;
        if (holding && data.includes(holding.statement)) {
          wire.holding = undefined;
          isHeldUp = true;
          client.destroy();
          return holding.held(async () => {
            const answered = new Promise((resolve) => upstream.once('data', resolve));
            upstream.write(data);
            await answered;
            upstream.end();
          });
        }
        upstream.write(data);
        const { losing } = wire;
        if (!losing || !data.includes(losing.statement)) return;
        wire.losing = undefined;
        if (losing.what === 'reply') beforeLoss = losing.meanwhile;
        else client.destroy();
      });
      upstream.on('data', (data) => {
        if (beforeLoss) void beforeLoss().finally(() => client.destroy());
        else if (!isHeldUp) client.write(data);
      });
      client.on('close', () => isHeldUp || upstream.end());
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
      upstream.on('close', () => client.destroy());
    });
    const wire = new LossyWire(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url.port = String((server.address() as AddressInfo).port);
    return { wire, connectionString: url.href };
  }

  close(): void {
    this.server.close();
  }
}
