import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PagedBucket {
  readonly endpoint: string;
  readonly keys: Set<string>;
  close(): Promise<void>;
}

const PAGE = 3;

/**
 * A bucket that lists three keys at a time, says that there are more, and deletes; nothing else. It refuses to delete
 * `stubborn` keys, in the manner of S3: with a 200 that lists them.
 */
export async function startPagedBucket(content: string[], stubborn: string[] = []): Promise<PagedBucket> {
  const keys = new Set(content);
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      response.setHeader('content-type', 'application/xml');
      response.end(request.method === 'GET' ? list(request.url ?? '') : remove(body));
    })();
  });
  const list = (url: string) => {
    const asked = new URL(url, 'http://bucket').searchParams;
    const begin = Number(asked.get('continuation-token') ?? 0);
    const found = [...keys].filter((key) => key.startsWith(asked.get('prefix') ?? '')).slice(begin);
    const page = found.slice(0, PAGE).map((key) => `<Contents><Key>${key}</Key><Size>${key.length}</Size></Contents>`);
    const truncated = `<IsTruncated>${found.length > PAGE}</IsTruncated>`;
    return `<ListBucketResult>${truncated}<NextContinuationToken>${begin + PAGE}</NextContinuationToken>${page.join('')}</ListBucketResult>`;
  };
  const remove = (body: string) => {
    const asked = [...body.matchAll(/<Key>(.*?)<\/Key>/g)].map((match) => match[1]!);
    const errors = asked.filter((key) => stubborn.includes(key));
    for (const key of asked) if (!errors.includes(key)) keys.delete(key);
    const lines = errors.map((key) => `<Error><Key>${key}</Key><Code>AccessDenied</Code></Error>`);
    return `<DeleteResult>${lines.join('')}</DeleteResult>`;
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
