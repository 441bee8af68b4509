import { describe, expect, it } from '@jest/globals';
import { aRun, fails, ok } from '../../../../test/support/a-run.js';

describe('the way on from a stage', () => {
  // test -failed-> fix ; test -> ship ; both -> exit
  const FORK = 'start -> test; test -> fix [condition="outcome=failed"]; test -> ship; fix -> exit; ship -> exit';

  it.each([
    ['follows the edge whose condition holds', fails(), ['start@1', 'test@1', 'fix@1', 'exit@1']],
    ['else the one without a condition', ok(), ['start@1', 'test@1', 'ship@1', 'exit@1']],
  ])('%s', (_, result, path) => {
    expect(aRun(FORK).play({ test: result }).path).toEqual(path);
  });

  it('stands in the log with what it was chosen for', () => {
    const { log } = aRun(FORK).play({ test: fails() });
    const edge = log.find(({ event, node_id }) => event === 'edge.selected' && node_id === 'test');
    expect(edge).toMatchObject({
      stage_id: 'test@1',
      properties: {
        from_node: 'test',
        to_node: 'fix',
        reason: 'condition',
        stage_status: 'failed',
        condition: 'outcome=failed',
        is_jump: false,
      },
    });
  });

  // start -> test -> exit
  it('leads on from a failed stage along an unconditional edge', () => {
    expect(aRun('start -> test -> exit').play({ test: fails() }).end).toBe('run.completed: completed');
  });

  // start -> test
  it('ends the run as failed when a failed stage has none', () => {
    const run = aRun('start -> test; other -> exit').at('test');
    expect(run.ends(fails('disk full'))).toEqual([
      'stage.failed test@1',
      'checkpoint.completed 2',
      'run.failed: workflow_error, stage test failed with no outgoing fail edge: disk full',
    ]);
    expect(run.log.at(-1)?.properties).toMatchObject({ failure: { detail: { causes: ['disk full'] } } });
  });

  it('ends the run well when any other stage has none', () => {
    const run = aRun('start -> test; other -> exit').at('test');
    expect(run.ends(ok())).toEqual([
      'stage.completed test@1 succeeded',
      'checkpoint.completed 2',
      'run.completed: completed',
    ]);
  });

  // start -> test [retry_target=prepare] ; prepare -> exit
  it('jumps from a failed stage without a way on to its retry target', () => {
    const run = aRun('test [retry_target=prepare] start -> test; prepare -> exit').at('test');
    expect(run.ends(fails())).toEqual([
      'stage.failed test@1',
      'edge.selected test -> prepare, retry_target',
      'checkpoint.completed 2',
      'stage.started prepare@1',
    ]);
    expect(
      run.log.find(({ properties }) => 'reason' in properties && properties.reason === 'retry_target'),
    ).toMatchObject({ properties: { is_jump: true, stage_status: 'failed' } });
  });

  // pick -> z ; pick -> b ; pick -> a    (all -> exit)
  it('goes by weight, then by the name of the target', () => {
    const ways = (more: string): string =>
      `start -> pick; pick -> z ${more}; pick -> b; pick -> a; z -> exit; b -> exit; a -> exit`;
    expect(aRun(ways('')).play().path).toContain('a@1');
    expect(aRun(ways('[weight=1]')).play().path).toContain('z@1');
  });

  // ask -Approve-> ship ; ask -Reject-> fix
  it('takes the edge with the preferred label, and tells later conditions about it', () => {
    const graph = `start -> ask; ask -> ship [label="[A] Approve"]; ask -> fix [label="[R] Reject"]
      ship -> exit; fix -> again [condition="context.preferred_label=reject"]; fix -> exit; again -> exit`;
    const run = aRun(graph).at('ask');
    expect(run.ends(ok({ preferredLabel: 'reject' }))).toContain('edge.selected ask -> fix, preferred_label');
    expect(run.log.find(({ event, node_id }) => event === 'edge.selected' && node_id === 'ask')).toMatchObject({
      properties: { label: '[R] Reject', preferred_label: 'reject' },
    });
    expect(run.play().path).toContain('again@1');
  });

  it('takes the edge to the first suggested node that is a neighbour', () => {
    const run = aRun('start -> plan; plan -> a; plan -> b; a -> exit; b -> exit').at('plan');
    expect(run.ends(ok({ suggestedNextIds: ['exit', 'b', 'a'] }))).toContain('edge.selected plan -> b, suggested_next');
    expect(run.log.at(-3)?.properties).toMatchObject({ suggested_next_ids: ['exit', 'b', 'a'] });
  });

  // pick -> heads -> pick ; pick -> tails -> pick    (pick at most twenty times)
  it('throws the dice where the node says so; whoever takes the run over throws the same', () => {
    const graph =
      'pick [selection=random, max_visits=20] start -> pick; pick -> heads; pick -> tails; heads -> pick; tails -> pick; heads -> exit [condition="outcome=failed"]';
    const { path } = aRun(graph).play();
    const heads = path.filter((stage) => stage.startsWith('heads')).length;
    expect(heads).toBeGreaterThan(4);
    expect(heads).toBeLessThan(16);
    expect(aRun(graph).at('heads').takenOver().play().path).toEqual(path);
  });

  it('asks the context: what stages wrote, and what the graph declared', () => {
    const graph = `tier="gold" start -> read
      read -> big [condition="context.size > 10 && context.graph.tier=gold"]; read -> small; big -> exit; small -> exit`;
    expect(aRun(graph).play({ read: ok({ contextUpdates: { size: 11 } }) }).path).toContain('big@1');
    expect(aRun(graph).play({ read: ok({ contextUpdates: { size: 9 } }) }).path).toContain('small@1');
  });

  it('compares the text of a value that is kept elsewhere', () => {
    const graph = `start -> read; read -> yes [condition="context.command.output contains READY"]
      read -> no; yes -> exit; no -> exit`;
    const run = aRun(graph).at('read');
    run.walk.resolved.set('blob://sha256/ab', 'all of it READY');
    const written = { contextUpdates: { 'command.output': 'blob://sha256/ab' }, kept: { 'command.output': 9_000 } };
    expect(run.ends(ok(written))).toContain('stage.started yes@1');
  });

  it('fails by name over a kept value that is too large to be read', () => {
    const graph = `start -> read; read -> yes [condition="context.big contains READY"]
      read -> no; yes -> exit; no -> exit`;
    const run = aRun(graph).at('read');
    run.ends(ok({ contextUpdates: { big: 'blob://sha256/ab' }, kept: { big: 9_000_000 } }));
    expect(run.end).toMatch(
      /^run\.failed: workflow_error, The context value "big" of 9000000 bytes is too large for a/,
    );
  });
});

describe('an outcome that was recorded without an edge', () => {
  it('is routed again and never executed again', () => {
    const run = aRun('start -> build -> check -> exit').at('build');
    run.ends(ok({ contextUpdates: { a: 1 } }));
    run.appends.push(run.appends.pop()!.slice(0, 1)); // the log ends with stage.completed

    const next = run.takenOver();
    expect(next.advance()).toEqual([
      'edge.selected build -> check, unconditional',
      'checkpoint.completed 2',
      'stage.started check@1',
    ]);
    expect(next.last?.work.map(({ stage }) => stage.id)).toEqual(['check@1']);
    expect(next.walk.cursor.context).toMatchObject({ a: 1 });
  });
});
