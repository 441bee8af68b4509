import { Agent, request, type Dispatcher } from 'undici';
import { HttpCaller, type HttpAnswer, type HttpCall } from '#libs/engine';
import { TimeLimit } from '#libs/kernel';
import { publicLookup, requirePublic } from './public-lookup.js';

const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Calls by undici. Connections are not kept: calls are rare, and a run may point them anywhere. What it points them at is
 * on the internet and encrypted, unless this server says that its runs may reach whatever it reaches itself.
 */
export class UndiciHttpCaller extends HttpCaller {
  constructor(
    private readonly mayReachAnything: () => Promise<boolean>,
    private readonly lookup = publicLookup(),
  ) {
    super();
  }

  async post({ url, headers, body, verifiesTls, timeoutMs, signal }: HttpCall): Promise<HttpAnswer> {
    const isFree = await this.mayReachAnything();
    if (!isFree) requirePublic(url);
    const connect = { rejectUnauthorized: verifiesTls, ...(!isFree && { lookup: this.lookup }) };
    const agent = new Agent({ pipelining: 0, connect });
    const limit = new TimeLimit(timeoutMs);
    const limited = AbortSignal.any([signal, limit.signal]);
    try {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, signal: limited });
      return { status: answer.statusCode, body: await beginningOf(answer.body) };
    } finally {
      limit.end();
      await agent.destroy();
    }
  }
}

async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_ANSWER_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES));
}
