import { describe, expect, it } from '@jest/globals';
import type { Graph } from '#libs/language';
import { aRun, fails, ok, type ARun } from '../../../../test/support/a-run.js';

const CHILD =
  'digraph C { start; exit; node [shape=parallelogram, script=x]; start -> plan -> work -> exit; plan; work }';

// start -> before -> boss[ start -> plan -> work -> exit ] -> after -> exit
const managed = (attributes = '', child = CHILD): string => `before after
  boss [shape=house, script="", manager.poll_interval=10s, stack.child_dot_source="${child}" ${attributes}]
  start -> before -> boss -> after -> exit`;

const ended = (run: ARun, node: string) =>
  run.log.find(({ event, node_id }) => (event === 'stage.completed' || event === 'stage.failed') && node_id === node);

describe('a manager', () => {
  it('walks its child on a path of the same run, under its own name', () => {
    const run = aRun(managed()).play();
    expect(run.path).toEqual([
      ...['start@1', 'before@1', 'boss@1'],
      ...['boss.start@1', 'boss.plan@1', 'boss.work@1', 'boss.exit@1'],
      ...['after@1', 'exit@1'],
    ]);
    expect(run.end).toBe('run.completed: completed');
    const subgraphs = run.log.filter(({ event }) => event.startsWith('subgraph'));
    expect(subgraphs).toMatchObject([
      { event: 'subgraph.started', cursor_id: 'boss@1', properties: { start_node: 'boss.start' } },
      { event: 'subgraph.completed', cursor_id: 'boss@1', properties: { steps_executed: 4, status: 'succeeded' } },
    ]);
    expect(run.walk.state.cursors).toEqual({ main: expect.anything() });
  });

  it('hands its context to the child, and what the child wrote to its own path', () => {
    const run = aRun(managed()).at('before');
    run.ends(ok({ contextUpdates: { x: 1 } }));
    run.at('boss.plan');
    expect(run.walk.on('boss@1', () => [run.walk.lookup('x'), run.walk.lookup('graph.goal')])).toEqual([1, '']);
    run.ends(ok({ contextUpdates: { y: 2, 'internal.z': 3 } }));
    run.at('after');
    expect([run.walk.lookup('y'), run.walk.lookup('internal.z')]).toEqual([2, undefined]);
    expect(ended(run, 'boss')?.properties).toMatchObject({
      context_updates: { y: 2 },
      notes: 'Child completed at cycle 1',
    });
  });

  it('has values kept elsewhere that are too large together', () => {
    const run = aRun(managed()).at('boss.plan');
    const y = 'y'.repeat(90_000);
    run.ends(ok({ contextUpdates: { y } }));
    run.at('boss.work');
    run.ends(ok({ contextUpdates: { z: y } }));
    expect(ended(run, 'boss')).toBeUndefined();
    expect(run.last!.work).toMatchObject([
      {
        path: 'main',
        stage: { id: 'boss@1' },
        result: { outcome: { status: 'succeeded', contextUpdates: { y, z: y } } },
      },
    ]);
    run.ends(ok({ contextUpdates: { y, z: 'blob://sha256/1' } }));
    expect(ended(run, 'boss')?.properties).toMatchObject({ context_updates: { y, z: 'blob://sha256/1' } });
    run.at('after');
    expect(run.walk.lookup('z')).toBe('blob://sha256/1');
  });

  it('takes over the failure of its child', () => {
    const child = CHILD.replace('; plan;', '; plan -> plan [condition=\\"outcome=failed\\"]; plan;');
    const run = aRun(managed('', child)).play({ 'boss.plan': fails('no plan') });
    expect(ended(run, 'boss')).toMatchObject({
      event: 'stage.failed',
      properties: { failure: { message: expect.stringContaining('deterministic failure cycle detected') } },
    });
    expect(run.path).toContain('after@1');
  });

  it('looks at its child now and then, and ends it when the stop condition holds for it', () => {
    const run = aRun(managed('manager.stop_condition="done=yes"')).at('boss.plan');
    run.ends(ok());
    run.sleep();
    expect(run.open?.node).toBe('boss.work');
    run.at('boss.work');
    run.take(run.walk.note({ event: 'run.notice', properties: { level: 'info', code: 'x', message: 'x' } }));
    run.walk.state.cursors['boss@1']!.context.done = 'yes';
    run.now += 10_000;
    run.advance();
    expect(run.last?.stop).toEqual(['boss.work@1']);
    expect(ended(run, 'boss')?.properties).toMatchObject({
      status: 'succeeded',
      notes: 'Stop condition satisfied at cycle 2',
    });
    expect(ended(run, 'boss.work')).toMatchObject({
      event: 'stage.failed',
      properties: { failure: { category: 'canceled' } },
    });
    expect(run.play().end).toBe('run.completed: completed');
  });

  it('looks so often and no more', () => {
    const run = aRun(managed('manager.max_cycles=2')).at('boss.plan');
    for (const _ of [1, 2]) run.sleep();
    expect(ended(run, 'boss')?.properties).toMatchObject({
      failure: { message: 'Max cycles (2) exceeded for manager loop node: boss' },
    });
  });

  it('keeps visits and failures of the child apart from its own, and begins afresh at every visit', () => {
    const run = aRun(`${managed()}; after -> before [condition="context.internal.node_visit_count < 2"]`).play();
    expect(run.path.filter((id) => id.startsWith('boss.plan'))).toEqual(['boss.plan@1', 'boss.plan@2']);
    const entries = run.log.filter(({ event, node_id }) => event === 'stage.started' && node_id === 'boss.plan');
    expect(entries.map(({ properties }) => (properties as { graph_visit: number }).graph_visit)).toEqual([1, 1]);
  });

  it('asks the gates of its child at every visit anew', () => {
    // boss[ start -> way ; way -> work -> exit ; way -> exit [skip=yes] ], and work is a goal gate
    const child = `digraph C { start; exit; way [shape=diamond]; work [shape=parallelogram, script=x, goal_gate=true]
      start -> way; way -> work -> exit; way -> exit [condition=\\"skip=yes\\"] }`;
    const run = aRun(`${managed('', child)}; after -> before [condition="context.internal.node_visit_count < 2"]`).at(
      'after',
    );
    run.ends(ok({ contextUpdates: { skip: 'yes' } }));
    run.play();
    const ends = run.log.flatMap((event) => (event.event === 'subgraph.completed' ? [event.properties.status] : []));
    expect(ends).toEqual(['succeeded', 'failed']);
  });

  it('fails where an older version let its child be missing', () => {
    const child = 'stack.child_dot_source="digraph C { start; exit; start -> exit }"';
    const stored = ({ nodes }: Graph): void => {
      Object.assign(
        nodes.find(({ id }) => id === 'boss')!,
        { child: { missing: 'gone.dot' } },
      );
    };
    const run = aRun(`boss [shape=house, script="", ${child}] start -> boss -> exit`, { stored }).play();
    expect(ended(run, 'boss')?.properties).toMatchObject({
      failure: { message: expect.stringContaining('Failed to parse child pipeline'), category: 'deterministic' },
    });
  });

  it('that runs out of time ends its child, and begins it anew when it is tried again', () => {
    const run = aRun(managed('timeout=25s, max_retries=1')).at('boss.plan');
    for (const at of [10_000, 20_000, 25_000]) {
      run.sleep();
      expect(run.now - run.walk.state.startedAt!).toBe(at);
    }
    expect(run.last?.stop).toEqual(['boss.plan@1']);
    expect(run.log.at(-2)?.properties).toMatchObject({
      will_retry: true,
      failure: { message: 'handler timed out after 25000ms', system_actor: 'timeout' },
    });
    run.at('boss.plan');
    expect(run.open?.id).toBe('boss.plan@2');
    expect(run.play().end).toBe('run.completed: completed');
  });

  it('goes on with its child when its worker was lost', () => {
    const next = aRun(managed()).at('boss.work').takenOver();
    next.advance();
    expect(next.last?.work).toMatchObject([
      { path: 'boss@1', stage: { id: 'boss.work@1', lostAttemptIds: [expect.any(String)] } },
    ]);
    expect(next.play().end).toBe('run.completed: completed');
  });

  it('simulates its child in a dry run', () => {
    expect(aRun(managed(), { dryRun: true }).play().path).not.toContain('boss.plan@1');
  });
});
