import { newUlid } from '#libs/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, workflow, type Question } from '../../support/api-caller.js';
import type { Dice } from '../dice.js';
import { examine } from '../examination.js';
import { History, type Acknowledgement } from '../history.js';
import { PersistentClient } from '../persistent-client.js';
import type { Scenario } from '../scenario.js';
import { Site } from '../site.js';

const AT_ONCE = 10;
const COMPETITORS = 5;
/** How long a gate waits: the answers come at about that moment. */
const GATE_MS = 2_000;

export const races: Scenario = {
  name: 'races',
  claim: 'Of starts, answers, cancels and time limits that meet, one of each kind is accepted and the others are told.',
  async run({ build, dice, runs }) {
    const site = await Site.open({ build });
    try {
      await site.start();
      const history = new History();
      const client = new PersistentClient(site.urls, site.token, site.directory, history);
      const tallies: Tally[] = [];
      const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
        for (let i = lane; i < runs; i += AT_ONCE) tallies.push(await race(client, dice));
      });
      await Promise.all(lanes);

      const report = await examine(site, { history });
      const sum = (pick: (tally: Tally) => number): number => tallies.reduce((total, tally) => total + pick(tally), 0);
      const startedTwice = tallies.filter(({ starts }) => starts !== 1).length;
      const answeredTwice = tallies.filter(({ answers }) => answers > 1).length;
      return {
        ...report,
        faults: [
          ...report.faults,
          ...(startedTwice > 0 ? [`${startedTwice} runs had more or less than one accepted start`] : []),
          ...(answeredTwice > 0 ? [`${answeredTwice} questions had more than one accepted answer`] : []),
        ],
        figures: {
          ...report.figures,
          answered: sum(({ answers }) => answers),
          cancelled: sum(({ cancels }) => cancels),
        },
      };
    } finally {
      await site.close();
    }
  },
};

/** How many of a race's operations were accepted. */
interface Tally {
  starts: number;
  answers: number;
  cancels: number;
}

/** Many start a run at once; when it asks, many answer and some cancel, at about the moment at which its time is up. */
async function race(client: PersistentClient, dice: Dice): Promise<Tally> {
  const runId = newUlid(Date.now());
  await client.create(runId, gate());
  const starts = await all(COMPETITORS, () => client.start(runId));
  const question = await asked(client, runId);
  if (!question) return { starts: accepted(starts), answers: 0, cancels: 0 };
  await sleep(dice.oneOf([0, GATE_MS - 150, GATE_MS - 50]));
  const cancelling = dice.between(0, 2);
  const [answers, cancels] = await Promise.all([
    all(COMPETITORS, (i) => client.answer(runId, question.id, i % 2 === 0 ? 'Y' : 'N')),
    all(cancelling, () => client.cancel(runId)),
  ]);
  return { starts: accepted(starts), answers: accepted(answers), cancels: accepted(cancels) };
}

/** start -> ask -> ship | drop -> exit, with a gate that decides for itself after a while */
function gate(): string {
  return workflow(`ask [shape=hexagon, label="Ship it?", timeout="${GATE_MS}ms", human.default_choice=drop]
    ${command('ship', 'echo ship')} ${command('drop', 'echo drop')}
    start -> ask
    ask -> ship [label="[Y] Ship"]
    ask -> drop [label="[N] Drop"]
    ship -> exit
    drop -> exit`);
}

async function asked(client: PersistentClient, runId: string): Promise<Question | undefined> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; await sleep(50)) {
    const [question] = await client.questions(runId);
    if (question) return question;
    if (['succeeded', 'failed'].includes((await client.status(runId))?.kind ?? '')) return undefined;
  }
  return undefined;
}

function all(count: number, act: (i: number) => Promise<Acknowledgement>): Promise<Acknowledgement[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => act(i)));
}

function accepted(acknowledgements: readonly Acknowledgement[]): number {
  return acknowledgements.filter((one) => one === 'acknowledged').length;
}
