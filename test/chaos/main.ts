/** `npm run chaos`: tries every scenario, or those that are named, and says what was kept and what was not. */
import { parseArgs } from 'node:util';
import { messageOf } from '#libs/kernel';
import { makePrivateBuild } from '../support/private-build.js';
import { buildIn } from '../support/standalone.js';
import { Dice } from './dice.js';
import { line, table, type Tried } from './table.js';
import { Site } from './site.js';
import { scenarios } from './scenarios/index.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    runs: { type: 'string', default: '200' },
    seed: { type: 'string' },
    only: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
  },
});
/** Of what made a scenario break off. */
const MAX_MESSAGE = 1_000;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.list) {
  for (const { name, claim } of scenarios) say(`${name.padEnd(24)} ${claim}`);
  process.exit(0);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
const chosen = scenarios.filter(({ name }) => !values.only || values.only.some((wanted) => name.startsWith(wanted)));
const chaosMs = Number(values.minutes) * 60_000;
const runs = Number(values.runs);
if (chosen.length === 0 || ![seed, chaosMs, runs].every((number) => Number.isFinite(number) && number >= 0)) {
  say('Usage: npm run chaos -- [--minutes N] [--runs N] [--seed N] [--only name]... [--list]');
  process.exit(2);
}

say(`seed ${seed}, ${chaosMs / 1_000} s of chaos in each scenario, ${runs} runs`);
const build = await makePrivateBuild();
const tried: Tried[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all([Site.closeAll(), build.remove()]).finally(() => process.exit(130)));
}
try {
  for (const scenario of chosen) {
    const began = performance.now();
    const report = await scenario
      .run({ build: buildIn(build.folder), dice: new Dice(seed), chaosMs, runs })
      .catch((thrown: unknown) => ({
        faults: [`it broke off: ${messageOf(thrown).slice(-MAX_MESSAGE)}`],
        figures: {},
      }));
    const one = { name: scenario.name, seconds: Math.round((performance.now() - began) / 1_000), report };
    tried.push(one);
    say(line(one));
  }
} finally {
  await build.remove();
}
say(table(tried));
process.exit(tried.some(({ report }) => report.faults.length > 0) ? 1 : 0);
