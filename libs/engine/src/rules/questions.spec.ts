import { describe, expect, it } from '@jest/globals';
import { encodeEvent, type Principal, type StampedEvent } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { ARun, aRun, fails, ok } from '../../../../test/support/a-run.js';
import type { AttemptResult } from '../stage/outcome.js';
import { openQuestions } from './questions.js';

const ANN: Principal = {
  kind: 'user',
  login: 'ann',
  identity: { issuer: 'spec', subject: 'ann' },
  auth_method: 'dev_token',
};

// start -> ask ; ask -[A] Approve-> ship -> exit ; ask -[R] Reject-> fix -> exit
const gate = (attributes = ''): string => `ask [shape=hexagon, label="Ship it?" ${attributes}]
  start -> ask; ask -> ship [label="[A] Approve"]; ask -> fix [label="[R] Reject"]; ship -> exit; fix -> exit`;

/** Two gates on two branches. */
const TWO = `fork [shape=component] one [shape=hexagon] two [shape=hexagon] join [shape=diamond]
  start -> fork; fork -> one; fork -> two; one -> join [label=Yes]; two -> join [label=Yes]; join -> exit`;

const asked = (run: ARun): string[] =>
  openQuestions(run.walk.state).map(({ asked: { question } }) => question.question_id);
const settle = (run: ARun): string[] => run.take(run.walk.settle());
const answer = (run: ARun, key: string, id = asked(run)[0]!): string[] =>
  run.take(run.walk.answer(id, { kind: 'selected', option_key: key }, ANN));

/** Somebody else said it. */
function hear(run: ARun, event: string, properties: JsonObject): void {
  run.walk.hear({ event, properties, id: event, ts: new Date(run.now).toISOString() });
}

function asking(run: ARun): ARun {
  if (run.walk.state.phase === 'created') run.begin();
  settle(run);
  return run;
}

describe('a human gate', () => {
  it('asks while nobody else can speak, and says that the run waits', () => {
    const run = aRun(gate());
    run.begin();
    expect(run.last).toMatchObject({ work: [], unsettled: true, quiet: true });
    expect(settle(run)).toEqual(['interview.started', 'run.blocked']);
    expect(run.log.at(-2)).toMatchObject({
      stage_id: 'ask@1',
      properties: {
        question: 'Ship it?',
        stage: 'ask',
        question_type: 'multiple_choice',
        allow_freeform: false,
        options: [
          { key: 'A', label: '[A] Approve' },
          { key: 'R', label: '[R] Reject' },
        ],
      },
    });
    expect(run.advance()).toEqual([]);
    expect(run.last).toMatchObject({ unsettled: false, quiet: true, wakeAt: null });
  });

  describe('with conditions on its edges', () => {
    // make -> ask ; ask -[C] C (if k)-> c ; ask -> late (if it failed) ; ask -[A] A-> ship
    const CONDITIONAL = `ask [shape=hexagon] start -> make -> ask; ask -> c [label="[C] C", condition="k"]
      ask -> late [condition="outcome=failed"]; ask -> ship [label="[A] A"]; ask -> talk [freeform=true, condition="!k"]
      c -> exit; late -> exit; ship -> exit; talk -> exit`;
    const offered = (made: AttemptResult) => {
      const run = asking(aRun(CONDITIONAL).at('ask', { make: made }));
      const { options = [], allow_freeform } = openQuestions(run.walk.state)[0]!.asked.question;
      return [...options.map(({ label }) => label), allow_freeform];
    };

    it('offers what leads somewhere once it is chosen, whatever the stage before did', () => {
      expect(offered(ok())).toEqual(['[A] A', true]);
      expect(offered(fails())).toEqual(['[A] A', true]);
      expect(offered(ok({ contextUpdates: { k: 1 } }))).toEqual(['[C] C', '[A] A', false]);
    });

    it('goes along the edge that was offered', () => {
      const run = asking(aRun(CONDITIONAL).at('ask', { make: ok({ contextUpdates: { k: 1 } }) }));
      answer(run, 'C');
      expect(run.play().path).toContain('c@1');
    });

    it('offers an edge that asks for its own choice', () => {
      const own = CONDITIONAL.replace('condition="k"', 'condition="human.gate.selected=C"');
      const run = asking(aRun(own).at('ask'));
      answer(run, 'C');
      expect(run.play().path).toContain('c@1');
    });

    it('takes the first that is open in a dry run and without anybody', () => {
      const speechless = CONDITIONAL.replace('[freeform=true, condition="!k"]', '');
      expect(aRun(speechless, { dryRun: true }).play().path).toContain('ship@1');
      const run = asking(aRun(speechless, { autoApprove: true }).at('ask'));
      expect(run.play().path).toContain('ship@1');
    });
  });

  it('goes where the answer leads, and keeps it for later stages', () => {
    const run = asking(aRun(gate()));
    expect(answer(run, 'R')).toEqual(['interview.completed', 'run.unblocked']);
    expect(run.log.at(-2)).toMatchObject({
      actor: ANN,
      properties: { answer: '[R] Reject', given: { kind: 'selected', option_key: 'R' } },
    });
    run.play();
    expect(run.path).toEqual(['start@1', 'ask@1', 'fix@1', 'exit@1']);
    expect(
      ['human.gate.selected', 'human.gate.label', 'human.gate.ask.answer'].map((key) => run.walk.lookup(key)),
    ).toEqual(['R', '[R] Reject', '[R] Reject']);
  });

  it('takes the answer that came first; a later one finds no question', () => {
    const run = asking(aRun(gate()));
    const [id] = asked(run);
    answer(run, 'A');
    expect(() => answer(run, 'R', id)).toThrow(/is not open/);
    expect(run.play().path).toContain('ship@1');
  });

  it('is asked once, whoever drives the run', () => {
    const run = asking(aRun(gate()));
    const next = run.takenOver();
    expect(next.advance()).toEqual([]);
    expect(next.last?.unsettled).toBe(false);
    expect(asked(next)).toEqual(asked(run));
    answer(next, 'A');
    expect(next.play().end).toBe('run.completed: completed');
  });

  it('takes its default when nobody answers in time', () => {
    const run = asking(aRun(gate('timeout=60s, human.default_choice=fix')));
    run.advance();
    expect(run.last?.wakeAt).toBe(run.now + 60_000);
    run.now += 60_000;
    expect(run.advance()).toEqual([]);
    expect(settle(run)).toEqual(['interview.timeout', 'run.unblocked']);
    expect(run.log.at(-2)).toMatchObject({ actor: { kind: 'system', system_kind: 'timeout' } });
    expect(run.play().path).toContain('fix@1');
  });

  it('runs out of time while the run is paused, and is acted on afterwards', () => {
    const run = asking(aRun(gate('timeout=60s, human.default_choice=fix')));
    hear(run, 'run.pause.requested', { action: 'pause' });
    run.take(run.walk.rest());
    expect(run.last?.wakeAt).toBe(run.now + 60_000);
    run.now += 60_000;
    expect(settle(run)).toEqual(['interview.timeout', 'run.unblocked']);
    expect(run.last?.wakeAt).toBeNull();
    hear(run, 'run.unpaused', {});
    expect(run.play().path).toContain('fix@1');
  });

  it('never counts silence as consent: it is asked again, then fails and takes no plain edge', () => {
    const run = asking(aRun(gate('timeout=60s, max_retries=1')));
    for (let left = 2; left > 0; left--) {
      run.now += 60_000;
      run.advance();
      settle(run);
      run.advance();
      run.sleep();
      settle(run);
    }
    expect(run.log.filter(({ event }) => event === 'interview.started')).toHaveLength(2);
    expect(run.path).not.toContain('ship@1');
    expect(run.end).toMatch(/^run.failed: workflow_error, stage ask failed with no outgoing fail edge: \S/);
  });

  it('is answered by the engine where the run asks for nobody', () => {
    const run = aRun(gate(), { autoApprove: true });
    run.begin();
    expect(settle(run)).toEqual(['interview.started', 'interview.completed']);
    expect(run.play().path).toContain('ship@1');
  });

  it('asks nobody in a dry run', () => {
    const run = aRun(gate(), { dryRun: true });
    expect(run.begin()).not.toContain('interview.started');
    expect(run.play().path).toContain('ship@1');
  });
});

describe('several questions', () => {
  it('are open at once, with one pair of blocked and unblocked around them', () => {
    const run = aRun(TWO);
    run.begin();
    expect(settle(run)).toEqual(['interview.started', 'interview.started', 'run.blocked']);
    expect(answer(run, 'Y')).toEqual(['interview.completed']);
    expect(answer(run, 'Y')).toEqual(['interview.completed', 'run.unblocked']);
    expect(run.play().end).toBe('run.completed: completed');
  });

  it('end with the run', () => {
    const run = asking(aRun(TWO));
    expect(run.take(run.walk.cancel())).toEqual([
      ...['interview.interrupted', 'interview.interrupted'],
      ...['stage.failed two@1', 'stage.failed one@1', 'stage.failed fork@1'],
      'run.failed: cancelled, The run was cancelled.',
    ]);
    expect(run.last).toMatchObject({ withdraws: true, ended: true });
    expect(asked(run)).toEqual([]);
  });

  it('are withdrawn once: a worker that takes over in between says only how the run ends', () => {
    const run = asking(aRun(TWO));
    run.take(run.walk.cancel());
    run.appends.push(run.appends.pop()!.slice(0, 2));
    const next = run.takenOver();
    expect(asked(next)).toEqual([]);
    expect(next.take(next.walk.cancel())).not.toContain('interview.interrupted');
  });

  it('that are withdrawn are no consent, should the run go on', () => {
    const run = asking(aRun(gate()));
    const { question_id } = openQuestions(run.walk.state)[0]!.asked.question;
    run.take(run.walk.cancel());
    run.appends.push(run.appends.pop()!.slice(0, 1));
    const next = run.takenOver();
    expect(question_id).toMatch(/^[0-9A-Z]{26}$/);
    expect(next.play().end).toMatch(/stage ask failed/);
  });
});

it('a run that is to pause asks nothing new, and what it asked before runs out of time', () => {
  const run =
    aRun(`fork [shape=component, max_parallel=2] ask [shape=hexagon, timeout=60s] next [shape=hexagon] join [shape=diamond]
    start -> fork; fork -> ask; fork -> work -> next; ask -> join [label=Yes]; next -> join [label=Yes]; join -> exit`);
  asking(run);
  hear(run, 'run.pause.requested', { action: 'pause' });
  run.ends(ok());
  expect(run.last).toMatchObject({ wakeAt: run.now + 60_000, unsettled: false });
  run.now += 60_000;
  run.advance();
  expect(run.last?.unsettled).toBe(true);
  expect(settle(run)).toEqual(['interview.timeout', 'run.unblocked']);
});

it('a pause waits until nothing is at work, and then nothing new begins', () => {
  const run = aRun('start -> a -> b -> exit').at('a');
  hear(run, 'run.pause.requested', { action: 'pause' });
  expect(run.ends(ok())).not.toContain('stage.started b@1');
  expect(run.last).toMatchObject({ quiet: true, wakeAt: null });
  run.take(run.walk.rest());
  const later = run.takenOver();
  expect(later.advance()).toEqual([]);
  hear(later, 'run.unpaused', {});
  expect(later.advance()).toEqual(['stage.started b@1']);
});

describe('an answer with very many words', () => {
  // start -> ask -> exit
  const WORDS = `ask [shape=hexagon] start -> ask; ask -> exit [freeform=true]`;
  const text = 'x'.repeat(65_536);
  const answered = (): ARun => {
    const run = asking(aRun(WORDS));
    run.take(run.walk.answer(asked(run)[0]!, { kind: 'text', text }, ANN));
    return run;
  };
  const fits = (event: StampedEvent) => encodeEvent('01J0000000000000000000000A', event);

  it('is kept elsewhere before its gate ends, once', () => {
    const run = answered();
    expect(run.advance()).toEqual([]);
    const [work, ...more] = run.last!.work;
    expect(more).toEqual([]);
    expect(work).toMatchObject({ stage: { id: 'ask@1' }, result: { kind: 'outcome' } });
    expect(run.advance()).toEqual([]);
    expect(run.last!.work).toEqual([]);
    run.ends(ok({ contextUpdates: { 'human.gate.text': 'blob://sha256/1' } }));
    expect(run.end).toBe('run.completed: completed');
    expect(run.walk.lookup('human.gate.text')).toBe('blob://sha256/1');
    run.log.forEach(fits);
  });

  it('is kept by the next worker when the first one is lost', () => {
    const first = answered();
    first.advance();
    const second = new ARun(first.definition, first.log, 2);
    expect(second.advance()).toEqual([]);
    expect(second.last!.work).toEqual(first.last!.work);
    second.ends(ok());
    expect(second.end).toBe('run.completed: completed');
  });

  it("is nobody's business any more once the run is cancelled", () => {
    const run = answered();
    run.advance();
    const { stage } = run.last!.work[0]!;
    run.take(run.walk.cancel());
    expect(run.take(run.walk.finish('main', stage.id, ok()))).toEqual([]);
    expect(run.end).toMatch(/^run\.failed: cancelled/);
  });
});
