import { describe, expect, it } from '@jest/globals';
import { compile } from '#libs/language';
import { aDefinition, aRun, ok } from '../../../../test/support/a-run.js';
import { CommandHandler } from '../handlers/command-handler.js';
import { HandlerTable } from '../handlers/handler-table.js';
import { contextValue } from '../state/context.js';
import { unsupportedBy } from '../handlers/executable.js';

describe('RunDefinition', () => {
  it('knows the context every path begins with', () => {
    const { seeds } = aDefinition('tier=gold goal="From the graph" start -> exit', { goal: 'From the run' }).root;
    expect(Object.fromEntries(seeds)).toEqual({
      'graph.tier': 'gold',
      'graph.goal': 'From the run',
      'internal.run_id': '01J0000000000000000000000A',
    });
    expect(aDefinition('goal="From the graph" start -> exit').goal).toBe('From the graph');
  });

  it('knows which context keys its conditions and branches read', () => {
    const { keysRead } = aDefinition(`start -> a; a -> b [condition="context.x=1 || outcome=failed"]
      a -> c [condition="context.command.output contains ok && y"]; a -> exit; b -> exit; c -> exit`);
    expect([...keysRead].sort()).toEqual([
      'command.output',
      'context.command.output',
      'context.x',
      'outcome',
      'x',
      'y',
    ]);
  });
});

describe('contextValue', () => {
  // start -> a -> a …
  const run = aRun('tier=gold start -> a -> a; b -> exit').at('a');
  run.ends(ok({ contextUpdates: { x: [1], 'graph.tier': 'silver' } }));
  const value = (key: string) => contextValue(run.definition, run.walk.state, run.walk.cursor, key);

  it.each([
    ['what stages wrote', 'x', [1]],
    ['even over what the graph declared', 'graph.tier', 'silver'],
    ['what the graph declared', 'graph.goal', ''],
    ['the node the path is at', 'current_node', 'a'],
    ['how often it was visited', 'internal.node_visit_count', 2],
    ['nothing under other names', 'y', undefined],
    ['nothing under names that every object has', 'constructor', undefined],
  ])('finds %s', (_, key, expected) => {
    expect(value(key)).toEqual(expected);
  });
});

describe('unsupportedBy', () => {
  const graphOf = (statements: string) => aDefinition(statements).index.graph;

  it('has nothing to say about commands, diamonds and waits', () => {
    const graph = graphOf('d [shape=diamond] w [shape=insulator, duration=1s] start -> c -> d -> w -> exit');
    expect(unsupportedBy(graph, new HandlerTable([new CommandHandler()]))).toEqual([]);
  });

  it('names each node that this server cannot execute', () => {
    const graph = graphOf('start -> build -> exit');
    expect(unsupportedBy(graph, new HandlerTable([]))).toEqual([
      'Node "build" is of kind "command", for which this server has no handler.',
    ]);
  });

  it('says of an agent made elsewhere that it is one', () => {
    const { graph } = compile(`digraph Spec {
      start [shape=Mdiamond] exit [shape=Msquare] bot [prompt="Hi", backend=acp, acp.command="bot"]
      start -> bot -> exit
    }`);
    expect(unsupportedBy(graph!, new HandlerTable([]))).toEqual([
      'Node "bot" wants an external agent (backend=acp), which this server cannot start.',
    ]);
  });
});
