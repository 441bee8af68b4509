import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { command, workflow, type Run } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';
import { SseClient } from '../support/sse-client.js';
import { until } from '../support/until.js';

let server: TestServer;
let receiver: Server;
let hookUrl: string;
const told: { authorization: string | undefined; url: string | undefined }[] = [];

beforeAll(async () => {
  server = await testServer();
  receiver = createServer(({ headers, url }, response) => {
    told.push({ authorization: headers.authorization, url });
    response.writeHead(500).end();
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const { port } = receiver.address() as AddressInfo;
  hookUrl = `http://hookuser:s3cretpass@127.0.0.1:${port}/hook?token=querySecret`;
});
afterAll(async () => {
  await new Promise((done) => receiver.close(done));
  await server.close();
});

const VIEWS = ['', '/events?limit=1000', '/settings', '/state', '/checkpoint', '/stages', '/graph/source', '/timeline'];

/** Everything that a viewer can read of a run that is over. */
async function everythingShown({ id }: Run): Promise<string> {
  const answers = await Promise.all(VIEWS.map((view) => server.caller.send('GET', `/api/v1/runs/${id}${view}`)));
  expect(answers.map(({ status }) => status)).toEqual(VIEWS.map(() => 200));
  const stream = follow(id);
  await until(() => stream.isOver, 'the stream ends');
  return [...answers.map(({ text }) => text), ...stream.frames.map(({ data }) => data)].join('\n');
}

/** Without printing the whole of it where the expectation fails. */
function holds(text: string, part: string | RegExp): boolean {
  return typeof part === 'string' ? text.includes(part) : part.test(text);
}

function follow(id: string): SseClient {
  const { token } = server.caller;
  return new SseClient(`${server.url}/api/v1/runs/${id}/attach?deltas=true`, { token: token! });
}

/** Every table but that of the definitions, which workers execute, and every object. */
async function everythingStored(): Promise<string> {
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'definitions'`,
  );
  const texts = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`SELECT to_json(t)::text AS row FROM "${name}" t`);
    texts.push(...rows.map(({ row }) => row));
  }
  await client.end();
  const folder = server.host.stateDirectory;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.parentPath.includes('/blobs'))
      texts.push(await readFile(join(entry.parentPath, entry.name), 'utf8'));
  }
  return texts.join('\n');
}

function configured(toml: string): Record<string, unknown> {
  return { configs: [{ type: 'project', path: 'project.toml', source: toml }] };
}

describe('V9: secrets of the settings', () => {
  const settings = (): Record<string, unknown> =>
    configured(`
[run.environment.env]
API_KEY = "envSecret"
[[run.hooks]]
event = "run_start"
url = "${hookUrl}"
tls = "off"
headers = { Authorization = "Bearer headerSecret" }
[[run.hooks]]
id = "refused"
event = "stage_start"
url = "http://hookuser:s3cretpass@127.0.0.1:1/x?token=querySecret"
tls = "off"
`);
  const source = workflow(`${command('use', 'test "$API_KEY" = envSecret && echo it is right')} start -> use -> exit`);

  it('are shown to nobody, and work all the same, in a copy of the run, too', async () => {
    const run = await server.caller.finish(source, settings());
    const again = await server.caller.send<Run>('POST', `/api/v1/runs/${run.id}/retry`);
    expect(again.status).toBe(201);
    for (const one of [run, await server.caller.ends(again.body.id)]) {
      const shown = await everythingShown(one);
      expect(holds(shown, /envSecret(?!\s*&&)|hookuser|s3cretpass|querySecret|headerSecret/)).toBe(false);
      expect(holds(shown, '"API_KEY":"REDACTED"')).toBe(true);
      expect(holds(shown, '"Authorization":"REDACTED"')).toBe(true);
      expect(holds(shown, 'it is right')).toBe(true);
    }
    const authorization = 'Bearer headerSecret';
    expect(told).toEqual([1, 2].map(() => ({ authorization, url: '/hook?token=querySecret' })));
  });

  it('are not shown where a run was stored before they were hidden', async () => {
    const run = await server.caller.finish(source, settings());
    const client = new pg.Client({ connectionString: server.databaseUrl });
    await client.connect();
    await client.query(
      `UPDATE run_events SET body = replace(body::text, '"REDACTED"', '"oldSecret"')::json WHERE run_id = $1 AND seq = 1`,
      [run.id],
    );
    const { rows } = await client.query(
      `SELECT 1 FROM run_events WHERE run_id = $1 AND body::text LIKE '%oldSecret%'`,
      [run.id],
    );
    await client.end();
    expect(rows).toHaveLength(1);
    expect(holds(await everythingShown(run), 'oldSecret')).toBe(false);
  });
});

describe('V9: tokens of this service in what a run prints', () => {
  const TOKEN = /service_worker_[0-9a-f]{16}/;
  const MASKED = `service_worker_${'REDACTED'.padEnd(64, '*')}`;
  const withTools = (): Record<string, unknown> => configured('[run.agent]\nrunyard_tools = true\n');
  // Half of the token, then the other half.
  const HALVES =
    'printf %.40s $RUNYARD_TOKEN; sleep 0.4; printf %s $RUNYARD_TOKEN | tail -c +41; echo; sleep 0.2; echo whole';

  it('are masked in what is shown and stored, also when they come in two parts', async () => {
    const source = workflow(`${command('print', 'env')} ${command('halves', HALVES)} start -> print -> halves -> exit`);
    const { id } = await server.caller.create(source, withTools());
    const stream = follow(id);
    await until(() => stream.headers !== undefined, 'the stream is open');
    await server.caller.start(id);
    const run = await server.caller.ends(id);
    await until(() => stream.isOver, 'the stream ends');
    const deltas = (stream.data as { stage_id: string; properties: { delta?: string } }[])
      .filter(({ stage_id }) => stage_id === 'halves@1')
      .map(({ properties }) => properties.delta ?? '');
    // The last words may come after the end of the stream.
    expect(deltas.length).toBeGreaterThan(1);
    expect(`${MASKED}\nwhole\n`.startsWith(deltas.join(''))).toBe(true);
    expect(deltas.join('').length).toBeGreaterThan(MASKED.length);
    expect(stream.frames.map(({ data }) => data).join('')).not.toMatch(TOKEN);
    const shown = await everythingShown(run);
    expect(holds(shown, TOKEN)).toBe(false);
    expect(holds(shown, `RUNYARD_TOKEN=${MASKED}`)).toBe(true);
    expect(holds(await everythingStored(), TOKEN)).toBe(false);
  });

  it('are masked in values that are kept as objects', async () => {
    const large = 'yes padding | head -c 300000; echo; echo $RUNYARD_TOKEN';
    const run = await server.caller.finish(workflow(`${command('print', large)} start -> print -> exit`), withTools());
    expect(holds(await everythingShown(run), TOKEN)).toBe(false);
    const stored = await everythingStored();
    expect(holds(stored, TOKEN)).toBe(false);
    expect(holds(stored, `padding\n\n${MASKED}\n`.slice(-80))).toBe(true);
  });

  it('work all the same for the command that has one', async () => {
    const ask = `fetch(process.env.RUNYARD_SERVER + "/api/v1/runs/" + process.env.RUNYARD_RUN_ID, { headers: { authorization: "Bearer " + process.env.RUNYARD_TOKEN } }).then((answer) => console.log("answered", answer.status))`;
    const run = await server.caller.finish(
      workflow(`${command('ask', `'${process.execPath}' -e '${ask}'`)} start -> ask -> exit`),
      withTools(),
    );
    expect(holds(await everythingShown(run), 'answered 200')).toBe(true);
  });

  it('are masked in what people write, too', async () => {
    const token = `service_dev_${'5'.repeat(64)}`;
    const run = await server.caller.finish(
      workflow(`${command('say', `echo ${token} | tr -d 5`)} start -> say -> exit`),
      { title: `Uses ${token}` },
    );
    expect(holds(await everythingShown(run), token)).toBe(false);
    expect(holds(await everythingStored(), token)).toBe(false);
    expect(holds(await everythingShown(run), '"command.output":"service_dev_')).toBe(true);
  });
});
