import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, workflow } from '../../support/api-caller.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import { underLoad, type Attack } from '../under-load.js';

const EVERY_MS = 3_000;
const LARGE = 300_000;

/** What is large, and whether a run that has it can succeed. */
const KINDS: readonly { kind: string; source: string }[] = [
  { kind: 'items', source: items() },
  { kind: 'answer', source: answer() },
  { kind: 'context', source: context() },
  {
    kind: 'output',
    source: workflow(`${command('say', `head -c 3000000 /dev/zero | tr "\\0" x`)} start -> say -> exit`),
  },
];
/** What nobody can store is refused, in a way that names it. */
const REFUSED: readonly { what: string; changes: Record<string, unknown> }[] = [
  { what: 'a goal', changes: { goal: { type: 'value', text: 'g'.repeat(LARGE) } } },
  { what: 'a title', changes: { title: 't'.repeat(LARGE) } },
];

export const largeValues: Scenario = {
  name: 'large-values',
  claim:
    'Values of 300 KB and more pass through items, answers, contexts and outputs; what is too large is refused with 4xx.',
  run: (trial) =>
    underLoad(
      { ...trial, runs: Math.min(trial.runs, 20) },
      {
        async attack(attack) {
          const { site, dice, history, successes, faults, chaosMs } = attack;
          const client = new PersistentClient(site.urls, site.token, site.directory, history);
          const until = performance.now() + chaosMs;
          for (let round = 0; performance.now() < until; round++, await sleep(EVERY_MS)) {
            const { source } = KINDS[round % KINDS.length]!;
            const runId = newUlid(Date.now());
            if ((await client.create(runId, source)) !== 'acknowledged') continue;
            await client.start(runId);
            successes.add(runId);
            const { what, changes } = dice.oneOf(REFUSED);
            const status = await refusal(attack, client, changes);
            if (status === undefined || status >= 500)
              faults.push(`${what} of ${LARGE} characters was answered with ${status}`);
          }
          return { large: successes.size };
        },
      },
    ),
};

/** It may be taken, too: then the run must be as good as any other. */
async function refusal(
  { history, successes }: Attack,
  client: PersistentClient,
  changes: object,
): Promise<number | undefined> {
  const runId = newUlid(Date.now());
  const manifest = client.manifest(runId, workflow('start -> exit'), { ...changes });
  const began = performance.now();
  const status = await client.once('/api/v1/runs', manifest);
  if (status !== 201) return status;
  const tookMs = performance.now() - began;
  history.add({ kind: 'create', runId, acknowledgement: 'acknowledged', tookMs, statuses: [status] });
  await client.start(runId);
  successes.add(runId);
  return status;
}

function printing(name: string, value: string): string {
  return `python3 -c 'import json; print(json.dumps({"context_updates": {"${name}": ${value}}}))'`;
}

/** start -> list -> each -> work -> join -> exit, a model that is asked about three items of 300 KB */
function items(): string {
  return workflow(`${command('list', printing('items', `["i" * ${LARGE}] * 3`), ', output_schema=routing')}
    each [shape=component, for_each="items", max_parallel=2] join [shape=tripleoctagon]
    work [shape=tab, prompt="Look at it.", provider=simulated, model=simulated]
    start -> list -> each -> work -> join -> exit`);
}

/** start -> think -> exit, a model that talks a lot */
function answer(): string {
  const simulated = JSON.stringify({ text: 'a '.repeat(LARGE) });
  const prompt = JSON.stringify(`Think.\nsimulate: ${simulated}`);
  return workflow(`think [shape=tab, prompt=${prompt}, provider=simulated, model=simulated] start -> think -> exit`);
}

/** start -> make -> count -> exit, a value that goes through the context into a command */
function context(): string {
  return workflow(`${command('make', printing('big', `"x" * ${LARGE}`), ', output_schema=routing')}
    ${command('count', `test $(wc -c) -eq ${LARGE}`, ', stdin_source=big')}
    start -> make -> count -> exit`);
}
