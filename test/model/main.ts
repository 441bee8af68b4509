/** `npm run model-check`: tries the scheduler's and the leases' statements in random orders, and says what came of it. */
import { inspect, parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.js';
import { explore } from './explore.js';
import { Site } from './site.js';

const { values } = parseArgs({
  options: {
    interleavings: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    lanes: { type: 'string', default: '2' },
  },
});
const SHOWN = 20;
const TELL_EVERY = 1_000;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const count = Number(values.interleavings);
const first = Number(values.seed ?? Math.floor(Math.random() * 1e6));
const lanes = Number(values.lanes);
if (![count, first, lanes].every((number) => Number.isInteger(number) && number >= 0) || lanes === 0) {
  say('Usage: npm run model-check -- [--interleavings N] [--seed N] [--lanes N]');
  process.exit(2);
}

say(`seeds ${first} to ${first + count - 1}`);
const server = await startPostgres();
process.env.TEST_POSTGRES_URL = server.connectionString;
const failed: string[] = [];
let done = 0;
try {
  await Promise.all(Array.from({ length: lanes }, (_, lane) => explored(lane)));
} finally {
  await server.remove();
}
say(`${done} interleavings, ${failed.length} of them wrong`);
process.exit(failed.length > 0 ? 1 : 0);

/** Every so many-th interleaving, on a database of its own. An error ends the lane: its database is not at rest. */
async function explored(lane: number): Promise<void> {
  const site = await Site.open();
  try {
    for (let seed = first + lane; seed < first + count; seed += lanes) {
      let thrown = false;
      const faults = await explore(site, seed).catch((error: unknown) => {
        thrown = true;
        return [inspect(error)];
      });
      if (++done % TELL_EVERY === 0) say(`${done} done, ${failed.length} wrong`);
      if (faults.length === 0) continue;
      failed.push(`--seed ${seed} --interleavings 1: ${faults.join('; ')}`);
      if (failed.length <= SHOWN) say(failed.at(-1)!);
      if (thrown) return;
    }
  } finally {
    await site.close();
  }
}
