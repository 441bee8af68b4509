import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiCaller, command, workflow, type Answer } from '../support/api-caller.js';
import { freePort } from '../support/postgres-server.js';
import { startApiProcess, type TestProcess } from '../support/processes.js';
import { testServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { childrenOf, isThere, residentBytes, WatchedApi } from '../support/watched-api.js';

const MIB = 1024 * 1024;
/** From source a process also holds what compiles it. */
const CHILD_BYTES = (256 + 256) * MIB;
const AT_ONCE = 2;
/** In the command line of a process that draws; large manifests are compiled in processes, too. */
const DRAWS = '--wasm-max-mem-pages=4096';

let server: TestServer;
let api: TestProcess;
let caller: ApiCaller;
let watch: WatchedApi;
beforeAll(async () => {
  server = await testServer({ worker: false });
  const { databaseUrl, limit, host } = server;
  const port = await freePort();
  api = await startApiProcess({ databaseUrl, limit, port, stateDirectory: host.stateDirectory });
  caller = new ApiCaller(`http://127.0.0.1:${port}`, server.caller.token, host.workingDirectory);
  watch = new WatchedApi(caller, api.pid, DRAWS);
  await draw(workflow('start -> exit'));
});
afterAll(async () => {
  await api.kill();
  await server.close();
});

/** A chain with edges across it, which takes Graphviz more than anything else of this size. `name` makes it another one. */
function tangled(nodes: number, edges: number, name: string): string {
  const across = Array.from(
    { length: edges - nodes + 1 },
    (_, i) => `n${(i * 31) % nodes} -> n${(i * 7919 + 13) % nodes}`,
  );
  const ids = Array.from({ length: nodes }, (_, i) => `n${i}`);
  return workflow(
    `node [script=ls]; ${ids.join('; ')}; n0 [label="${name}"]; start -> ${ids.join(' -> ')} -> exit; ${across.join('; ')}`,
  );
}

const draw = (source: string): Promise<Answer<{ errors: { detail: string }[] }>> =>
  caller.send('POST', '/api/v1/graph/render', { body: { manifest: caller.manifest(source) } });

describe('V4: a drawing that costs more than it may', () => {
  it('of 1,990 nodes and 5,900 edges is refused before anything is drawn, twelve at once too', async () => {
    const resting = residentBytes(api.pid);
    const sources = Array.from({ length: 12 }, (_, i) => tangled(1_990, 5_900, `${i}`));
    const { result, ...most } = await watch.during(Promise.all(sources.map(draw)));
    expect(result.map(({ status }) => status)).toEqual(Array(12).fill(413));
    expect(result[0]!.body.errors[0]!.detail).toMatch(/1992 nodes and 5902 edges; .* sub-workflows/);
    expect(most.children).toBe(0);
    expect(most.serverBytes).toBeLessThan(2 * resting);
    expect(most.heldMs).toBeLessThan(250);
  });

  it('of a run is refused in the same way', async () => {
    const { id } = await caller.create(tangled(1_990, 5_900, 'run'));
    expect((await caller.send('GET', `/api/v1/runs/${id}/graph`)).status).toBe(413);
  });

  it('takes its own process no further than its bounds, and nobody else anything', async () => {
    const resting = residentBytes(api.pid);
    const sources = Array.from({ length: 4 }, (_, i) => tangled(1_700, 3_400, `${i}`));
    const { result, ...most } = await watch.during(Promise.all(sources.map(draw)));
    expect(result.map(({ status }) => status)).toEqual(Array(4).fill(413));
    expect(most.children).toBeLessThanOrEqual(AT_ONCE);
    expect(most.childBytes).toBeLessThan(CHILD_BYTES);
    expect(most.serverBytes).toBeLessThan(2 * resting);
    expect(most.heldMs).toBeLessThan(250);
  });

  it('is an error of that request alone when its process dies', async () => {
    const drawing = draw(tangled(600, 1_500, 'killed'));
    await until(() => childrenOf(api.pid, DRAWS).length > 0, 'a process draws', 5_000);
    for (const pid of childrenOf(api.pid, DRAWS)) process.kill(pid, 'SIGKILL');
    expect((await drawing).status).toBe(413);
    expect((await draw(workflow('a [script=ls] start -> a -> exit'))).status).toBe(200);
  });
});

describe('a usual drawing', () => {
  it('is made, once for everybody, and shows nothing that executes', async () => {
    const label = '</text><script>alert(1)</script>" href="javascript:alert(1)';
    const source = workflow(`${command('a', 'ls', `, label=${JSON.stringify(label)}`)} start -> a -> exit`);
    const drawn = await Promise.all(Array.from({ length: 40 }, () => draw(source)));
    expect(drawn.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(new Set(drawn.map(({ text }) => text)).size).toBe(1);
    expect(drawn[0]!.text).toMatch(/<svg[^]*<g id="node-a"[^]*<\/svg>/);
    expect(drawn[0]!.text).not.toMatch(/<script|<[^>]*\s(?:on\w+|href|xlink:href)\s*=/);
  });

  it('of a large workflow is made', async () => {
    expect((await draw(tangled(150, 200, 'large'))).status).toBe(200);
  });
});

describe('V4: more drawings than the server has places for', () => {
  it('are refused with the time to come again, and those at work end with the server', async () => {
    const drawings = Array.from({ length: 22 }, (_, i) => draw(tangled(500, 1_200, `${i}`)));
    const first = await Promise.race(drawings);
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '5']);
    await until(() => childrenOf(api.pid, DRAWS).length === AT_ONCE, 'two processes draw', 5_000);
    const children = childrenOf(api.pid, DRAWS);
    api.signal('SIGTERM');
    expect(await api.gone()).toBe(0);
    expect(children.filter(isThere)).toEqual([]);
    expect(new Set((await Promise.all(drawings)).map(({ status }) => status))).toEqual(new Set([503]));
  });
});
