import { describe, expect, it } from '@jest/globals';
import { aDefinition } from '../../../../test/support/a-run.js';
import { qualify } from './qualify.js';

const qualified = (statements: string) => qualify(aDefinition(statements).index.graph, 'boss.');

/** The values of a node that name other nodes. */
const named = (statements: string, id: string) => {
  const node = qualified(statements).nodes.find((each) => each.id === id)!;
  return Object.fromEntries(Object.entries(node).filter(([, value]) => String(value).startsWith('boss.')));
};

describe('the graph of a sub-workflow', () => {
  it('has all its nodes and edges behind the name of its manager', () => {
    const { nodes, edges } = qualified('start -> a -> exit');
    expect(nodes.map(({ id }) => id)).toEqual(['boss.start', 'boss.exit', 'boss.a']);
    expect(edges.map(({ from, to }) => `${from} -> ${to}`)).toEqual(['boss.start -> boss.a', 'boss.a -> boss.exit']);
  });

  it('names nodes anew wherever it names one', () => {
    const { attributes } = qualified('retry_target=a fallback_retry_target=b start -> a -> b -> exit');
    expect(attributes).toMatchObject({ retryTarget: 'boss.a', fallbackRetryTarget: 'boss.b' });
    expect(named('a [retry_target=b, fallback_retry_target=a] start -> a -> b -> exit', 'boss.a')).toEqual({
      ...{ id: 'boss.a', retryTarget: 'boss.b', fallbackRetryTarget: 'boss.a' },
    });
    expect(
      named('ask [shape=hexagon, timeout=1s, human.default_choice=b] start -> ask; ask -> b -> exit', 'boss.ask'),
    ).toEqual({ id: 'boss.ask', defaultChoice: 'boss.b' });
    const fork = 'f [shape=component] j [shape=diamond] start -> f; f -> a -> j; f -> b -> j; j -> exit';
    expect(named(fork, 'boss.f')).toEqual({ id: 'boss.f', join: 'boss.j' });
  });

  it('names nothing that was not named', () => {
    const [start] = qualified('start -> a -> exit').nodes;
    expect(Object.keys(start!)).not.toContain('retryTarget');
  });

  it('offers the choices of a gate by the names that their author gave', () => {
    const { edges } = qualified(
      'ask [shape=hexagon] start -> ask; ask -> ship; ask -> fix [label="[F] Fix"]; ship -> exit; fix -> exit',
    );
    const choices = edges.filter(({ from }) => from === 'boss.ask').map(({ to, label }) => [to, label]);
    expect(choices).toEqual([
      ['boss.ship', 'ship'],
      ['boss.fix', '[F] Fix'],
    ]);
  });

  it('leaves the graph it was given as it was', () => {
    const { graph } = aDefinition('start -> a -> exit').index;
    const before = structuredClone(graph);
    qualify(graph, 'boss.');
    expect(graph).toEqual(before);
  });
});
