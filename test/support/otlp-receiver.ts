import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  status: { code: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
}

interface Sent {
  resourceSpans: { resource: { attributes: SentSpan['attributes'] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

/** A collector of traces that keeps what it got. */
export interface OtlpReceiver {
  readonly url: string;
  readonly sent: Sent[];
  readonly spans: SentSpan[];
  /** What it answers from now on. */
  status: number;
  close(): Promise<void>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (receiver.status === 200) sent.push(body as Sent);
      response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    sent,
    get spans() {
      return sent.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      );
    },
    status: 200,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
