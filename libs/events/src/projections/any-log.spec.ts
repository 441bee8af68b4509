import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aLog, aStage, created, runCompleted, runFailed, took } from '../../../../test/support/a-log.js';
import { isKnown } from '../codec.js';
import type { EventEnvelope, RunEvent } from '../envelope.js';
import { mayMove } from '../run-status.js';
import { applyToRunView, beginRunView, type RunView } from './run-view.js';
import { applyToStageViews, type StageView } from './stage-view.js';

const stages = ['start@1', 'a@1', 'a@2', 'b@1'].map((id) => aStage(id));
const unknown = { event: 'stage.teleported', stage_id: 'a@1', properties: { to: 'b' } } as unknown as RunEvent;

/** Events in no sensible order, as a damaged log may hold them. */
const events = fc.array(
  fc.oneof(
    fc.constantFrom<RunEvent>(
      { event: 'run.submitted', properties: { definition_blob: 'a' } },
      { event: 'run.runnable', properties: { source: 'approved' } },
      { event: 'run.starting', properties: {} },
      { event: 'run.started', properties: { name: 'W' } },
      { event: 'run.running', properties: {} },
      { event: 'run.parked', properties: {} },
      { event: 'run.cancel.requested', properties: { action: 'cancel' } },
      { event: 'run.removing', properties: {} },
      { event: 'run.title.updated', properties: { title: 'Other' } },
      { event: 'run.archived', properties: {} },
      { event: 'run.unarchived', properties: {} },
      runCompleted(took(7)),
      runFailed('cancelled'),
      runFailed('workflow_error'),
    ),
    fc
      .constantFrom(...stages)
      .chain((stage) =>
        fc.constantFrom(
          ...[stage.started(), stage.started(2, 2), stage.waiting(), stage.retrying(2)],
          ...[stage.failed(true, took(2)), stage.failed(), stage.completed(took(3)), stage.answered(4)],
        ),
      ),
    fc.constant(unknown),
  ),
  { maxLength: 40, size: 'max' },
);

interface Views {
  run: RunView;
  stages: Map<string, StageView>;
}

function begin(first: EventEnvelope): Views {
  return { run: beginRunView(first), stages: new Map() };
}

function apply(views: Views, event: EventEnvelope): Views {
  const stages = new Map(views.stages);
  const open = () => [...stages.values()].filter(({ ended_at }) => ended_at === null);
  for (const view of applyToStageViews(event, (id) => stages.get(id), open)) stages.set(view.id, view);
  return { run: applyToRunView(views.run, event), stages };
}

const fold = ([first, ...rest]: EventEnvelope[]): Views => rest.reduce(apply, begin(first!));
const logs = events.map((drawn) => aLog(created(), ...drawn));

describe('the views of any log', () => {
  it('can be folded up to any event, and only make moves that the table knows', () => {
    fc.assert(
      fc.property(logs, ([first, ...rest]) => {
        let views = begin(first!);
        for (const event of rest) {
          const next = apply(views, event);
          expect(mayMove(views.run.status.kind, next.run.status.kind)).toBe(true);
          expect(next.run.timestamps.last_event_at).toBe(event.ts);
          views = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are the same in two parts as at once, also through JSON', () => {
    fc.assert(
      fc.property(logs, fc.nat(), (log, at) => {
        const cut = 1 + (at % log.length);
        const { run, stages } = fold(log.slice(0, cut));
        const stored = JSON.parse(JSON.stringify({ run, stages: [...stages] })) as {
          run: RunView;
          stages: [string, StageView][];
        };
        const resumed = log.slice(cut).reduce(apply, { run: stored.run, stages: new Map(stored.stages) });
        expect(resumed).toEqual(fold(log));
      }),
      { numRuns: 300 },
    );
  });

  it('are those of the log without what they do not know', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const { run, stages } = fold(log);
        const known = fold(log.filter(isKnown));
        expect(stages).toEqual(known.stages);
        const last_event_at = expect.any(String);
        expect(run).toEqual({ ...known.run, timestamps: { ...known.run.timestamps, last_event_at } });
      }),
    );
  });

  it('change nothing in the views they are folded from', () => {
    fc.assert(
      fc.property(logs, ([first, ...rest]) => {
        let views = begin(first!);
        for (const event of rest) {
          const before = structuredClone(views);
          const next = apply(views, event);
          expect(views).toEqual(before);
          views = next;
        }
      }),
    );
  });

  it('leave no stage open after a failed run, and never open an ended one again', () => {
    fc.assert(
      fc.property(logs, ([first, ...rest]) => {
        let views = begin(first!);
        for (const event of rest) {
          const next = apply(views, event);
          if (event.event === 'run.failed')
            expect([...next.stages.values()].filter((s) => s.ended_at === null)).toEqual([]);
          for (const [id, view] of views.stages) if (view.ended_at !== null) expect(next.stages.get(id)).toEqual(view);
          views = next;
        }
      }),
    );
  });
});
