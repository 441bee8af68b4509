import { expect } from '@jest/globals';
import { type Graph } from '#libs/language';

/** `key=value`: what is said about a thing. A value is JSON without spaces outside of texts, or `absent`. */
const FIELD = /([\w.]+)=((?:"(?:[^"\\]|\\.)*"|[^\s"])+)/g;

/** Holds a graph to `node a kind="agent"`, `edge a -> b weight=2`, `graph goal="x"`, `nodes a b` or `edges a->b b->c`. */
export function expectFact(graph: Graph, fact: string): void {
  const [what, first, , third] = fact.split(' ');
  const rest = fact.slice(what!.length + 1);
  switch (what) {
    case 'nodes':
      return expect(graph.nodes.map(({ id }) => id).join(' ')).toBe(rest);
    case 'edges':
      return expect(graph.edges.map(({ from, to }) => `${from}->${to}`).join(' ')).toBe(rest);
    case 'graph':
      return expectFields({ ...graph, ...graph.attributes }, fact);
    case 'node':
      return expectFields(
        find(graph.nodes, ({ id }) => id === first, fact),
        fact,
      );
    case 'edge':
      return expectFields(
        find(graph.edges, ({ from, to }) => from === first && to === third, fact),
        fact,
      );
    default:
      throw new Error(`Not an expectation: ${fact}`);
  }
}

function find<T>(things: readonly T[], isIt: (thing: T) => boolean, fact: string): T {
  const found = things.find(isIt);
  if (found === undefined) throw new Error(`The graph has none: ${fact}`);
  return found;
}

function expectFields(thing: object, fact: string): void {
  const said = [...fact.matchAll(FIELD)].map(([, key, value]) => [key!, value!] as const);
  if (said.length === 0) throw new Error(`Says nothing: ${fact}`);
  const wanted = said.map(([key, value]) => [key, value === 'absent' ? undefined : (JSON.parse(value) as unknown)]);
  expect(said.map(([key]) => [key, fieldOf(thing, key)])).toEqual(wanted);
}

/** `a.b` is the member `b` of the member `a`. */
function fieldOf(thing: object, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((within, name) => (within as Record<string, unknown> | undefined)?.[name], thing);
}
