import net from 'node:net';

/** The wished port of the loopback address, or any free one when somebody else has it. */
export async function usablePort(wished: number): Promise<number> {
  return (await free(wished)) ?? (await free(0)) ?? wished;
}

function free(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const { port: got } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(got));
    });
  });
}
