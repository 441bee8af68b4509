import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server that answers each `METHOD /path` as it was told, and remembers what it was asked. */
export class FakeServer {
  readonly requests: { call: string; authorization: string | undefined; body: string; query: string }[] = [];
  private readonly answers = new Map<string, Answer>();
  private constructor(private readonly server: Server) {}

  static async listen(): Promise<FakeServer> {
    const fake = new FakeServer(createServer());
    fake.server.on('request', (request, response) => void fake.answer(request, response));
    await new Promise<void>((resolve) => fake.server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  on(call: string, answer: Answer): this {
    this.answers.set(call, answer);
    return this;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const call = `${request.method} ${pathname}`;
    this.requests.push({ call, authorization: request.headers.authorization, body, query: search });
    const answer = this.answers.get(call) ?? problem(404, 'There is no such thing.');
    answer(request, response, body);
  }
}

export function json(status: number, body: unknown): Answer {
  return (_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function problem(status: number, detail: string): Answer {
  return json(status, { errors: [{ status: String(status), title: 'Problem', detail }] });
}

/** An event stream that ends after these. */
export function stream(events: readonly { seq: number }[]): Answer {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
}
