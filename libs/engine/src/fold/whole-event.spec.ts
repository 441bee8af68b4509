import { describe, expect, it } from '@jest/globals';
import type { EventOf, StampedEvent } from '#libs/events';
import { ARun, aRun, fails, faults, ok } from '../../../../test/support/a-run.js';
import { isBrief, restOf, wholeCheckpoint } from './whole-event.js';

type Checkpoint = StampedEvent & EventOf<'checkpoint.completed'>;

/** The log up to an event, folded. */
function foldedTo({ definition, log }: ARun, event: StampedEvent) {
  return new ARun(definition, log.slice(0, log.indexOf(event) + 1), 2).walk;
}

function checkpointAt(run: ARun, stageId: string) {
  const event = run.log.find((each) => each.event === 'checkpoint.completed' && each.stage_id === stageId);
  return wholeCheckpoint(foldedTo(run, event!), event as Checkpoint);
}

describe('a checkpoint', () => {
  // start -> a -> b -> a … ; b -> exit
  const LOOP = `goal="Ship it" a [max_retries=1] start -> a -> b; b -> a [condition="context.internal.node_visit_count < 2"]; b -> exit`;
  const looped = aRun(LOOP).play({
    a: [faults(), ok({ contextUpdates: { x: 1 } }), ok({ contextUpdates: { x: 2 } })],
    b: [fails(), ok()],
  });

  it('is all that was known at its stage, whatever came later', () => {
    const { node_outcomes, context_values, ...counts } = checkpointAt(looped, 'b@1');
    expect(counts).toEqual({
      completed_nodes: ['start', 'a', 'b'],
      node_retries: { start: 0, a: 1, b: 0 },
      node_visits: { start: 1, a: 1, b: 1 },
      loop_failure_signatures: { 'b|deterministic|script failed with exit code: <n>': 1 },
      restart_failure_signatures: {},
    });
    expect(node_outcomes).toEqual({ start: 'succeeded', a: 'succeeded', b: 'failed' });
    expect(context_values).toMatchObject({
      'graph.goal': 'Ship it',
      'internal.run_id': looped.definition.runId,
      'internal.node_visit_count': 1,
      'internal.retry_count.a': 1,
      'internal.fidelity': 'compact',
      current_node: 'b',
      outcome: 'failed',
      failure_class: 'deterministic',
      x: 1,
    });
  });

  it('of a later visit has what that one left', () => {
    const { node_visits, node_retries, context_values } = checkpointAt(looped, 'b@2');
    expect(node_visits).toEqual({ start: 1, a: 2, b: 2 });
    expect(node_retries).toMatchObject({ a: 0 });
    expect(context_values).toMatchObject({ x: 2, outcome: 'succeeded', failure_class: '', current_node: 'b' });
  });

  it('in front of a loop restart has what the restart forgets', () => {
    const run = aRun(`start -> a -> b; b -> a [condition="context.internal.node_visit_count < 2", loop_restart=true]
      b -> exit`).play({ a: ok({ contextUpdates: { x: 1 } }) });
    expect(checkpointAt(run, 'b@1')).toMatchObject({
      completed_nodes: ['start', 'a', 'b'],
      context_values: { x: 1, current_node: 'b' },
    });
    expect(checkpointAt(run, 'a@2')).toMatchObject({ completed_nodes: ['a'], node_visits: { start: 1, a: 2, b: 1 } });
  });
});

describe('the results of a fork', () => {
  it('hold what all branches wrote, also where the event has none of it', () => {
    const run = aRun(`fork [shape=component] join [shape=diamond]
      start -> fork; fork -> a -> join; fork -> b -> join; join -> exit`).play({ a: ok({ contextUpdates: { x: 1 } }) });
    const at = run.log.findIndex(({ event }) => event === 'parallel.completed');
    const { properties, ...rest } = run.log[at] as StampedEvent & EventOf<'parallel.completed'>;
    const results = properties.results!.map(({ context_updates: _, ...result }) => result);
    const older = { ...rest, properties: { ...properties, results } };
    if (!isBrief(older)) throw new Error('It is stored whole.');
    const { walk } = new ARun(run.definition, [...run.log.slice(0, at), older], 2);
    expect(restOf(walk, older)).toEqual({
      results: [
        { id: 'a', index: 0, status: 'succeeded', context_updates: { x: 1 } },
        { id: 'b', index: 1, status: 'succeeded', context_updates: {} },
      ],
    });
  });
});
