import { afterAll, expect } from '@jest/globals';
import { faultsIn } from './checker.js';
import { testServer, type ServerOptions, type TestServer } from './server.js';

/** A server for all tests of a spec file. After them nothing that is stored may be at fault, and it is closed. */
export async function specServer(options: ServerOptions = {}): Promise<TestServer> {
  const server = await testServer(options);
  afterAll(async () => {
    const faults = await faultsIn(server.databaseUrl, { views: server.platform.views, limit: server.limit });
    await server.close();
    expect(faults).toEqual([]);
  });
  return server;
}
