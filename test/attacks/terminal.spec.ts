import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runyard } from '../../apps/cli/src/program.js';
import { command, workflow } from '../support/api-caller.js';
import { CapturedScreen } from '../support/cli/captured-screen.js';
import { testServer, type TestServer } from '../support/server.js';

/** Every character that turns text round, and a sequence that colours it. */
const TURNING = ['\u061c', '\u200e', '\u200f', ...'\u202a\u202b\u202c\u202d\u202e', ...'\u2066\u2067\u2068\u2069'];
const BAIT = `pay${TURNING.join('')}ton\u001b[31m`;
const STEERING = /\p{Bidi_Control}|\u001b/u;

let server: TestServer;
beforeAll(async () => void (server = await testServer()));
afterAll(() => server.close());

function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What a person sees who types this. */
async function seen(...words: string[]): Promise<string> {
  const { url, caller } = server;
  const env = { RUNYARD_HOME: join(caller.directory, 'home'), RUNYARD_SERVER: url, RUNYARD_TOKEN: caller.token! };
  const screen = new CapturedScreen();
  await runyard(words, { env, cwd: caller.directory, stdin: Readable.from([]), screen });
  return screen.written.stdout + screen.written.stderr;
}

describe('V16: characters that have a line read in another order than it is written', () => {
  it.each(TURNING.map((character) => [codeOf(character), character]))(
    'are refused in a title: %s',
    async (code, character) => {
      const title = `Pay${character}ments`;
      const body = server.caller.manifest(workflow('start -> exit'), { title });
      const created = await server.caller.send('POST', '/api/v1/runs', { body });
      const { id } = await server.caller.create(workflow('start -> exit'));
      const renamed = await server.caller.send('PATCH', `/api/v1/runs/${id}`, { body: { title } });
      for (const { status, text } of [created, renamed]) {
        expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(`title must not hold ${code}`) });
      }
    },
  );

  it('are left out where the title is made of the goal', async () => {
    const { title } = await server.caller.create(workflow('start -> exit'), {
      goal: { type: 'value', text: '# Pay\u202ements\nnow' },
    });
    expect(title).toBe('Payments');
  });

  it('do not stand in a title that is any language otherwise', async () => {
    const title = 'دفع תשלום 支払い 😀';
    expect((await server.caller.create(workflow('start -> exit'), { title })).title).toBe(title);
    expect(await seen('ps', '-a')).toContain(title);
  });

  it('are shown by no command, and neither is what steers the terminal', async () => {
    const source = workflow(`${command('say', `printf '${BAIT}'; exit 1`)}
      gate [shape=hexagon, label="Ship ${BAIT}?"]
      start -> say -> gate; gate -> exit [label="[Y] Yes ${BAIT}"]; gate -> say [label="[N] No"]`);
    const file = join(server.caller.directory, 'w.dot');
    await writeFile(file, source);
    const { id } = await server.caller.begin(source, {
      goal: { type: 'value', text: `${BAIT}\n${BAIT}` },
      args: { label: [`team=${BAIT}`] },
    });
    const [question] = await server.caller.asks(id);
    const shown = [
      await seen('ps', '-a'),
      await seen('inspect', id),
      await seen('questions', id),
      await seen('answer', id, question!.id, BAIT),
      await seen('validate', 'w.dot'),
      await seen('run', 'w.dot', '--label', `team=${BAIT}`),
      await seen('rename', id, BAIT),
      await seen('fmt', '--check', 'w.dot'),
      await seen('inspect', BAIT),
    ];
    expect(shown.filter((text) => STEERING.test(text)).map((text) => JSON.stringify(text))).toEqual([]);
    expect(shown[2]).toContain('Ship payton?');
    expect(shown[1]).toContain('team=payton');
  });
});
