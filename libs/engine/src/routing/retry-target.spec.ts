import { expect, it } from '@jest/globals';
import { GraphIndex } from '#libs/language';
import { aDefinition } from '../../../../test/support/a-run.js';
import { retryTargetOf } from './retry-target.js';

// start -> n -> exit, and a, b, c, d to go back to
const { graph } = aDefinition('start -> n -> exit; a -> n; b -> n; c -> n; d -> n').index;

it.each([
  ['its own target', { retryTarget: 'a', fallbackRetryTarget: 'b' }, { retryTarget: 'c' }, 'a'],
  ['its fallback', { fallbackRetryTarget: 'b' }, { retryTarget: 'c' }, 'b'],
  ['that of the graph', {}, { retryTarget: 'c', fallbackRetryTarget: 'd' }, 'c'],
  ['the fallback of the graph', {}, { fallbackRetryTarget: 'd' }, 'd'],
  ['the first that is a node', { retryTarget: 'x', fallbackRetryTarget: 'y' }, { retryTarget: 'c' }, 'c'],
  ['nowhere', { retryTarget: 'x' }, {}, undefined],
])('a failure leads to %s', (_, ofNode, ofGraph, target) => {
  const index = new GraphIndex({ ...graph, attributes: { ...graph.attributes, ...ofGraph } });
  const node = { ...index.node('n')!, ...ofNode };
  expect(retryTargetOf(index, node)).toBe(target);
});
