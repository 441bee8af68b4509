import { describe, expect, it } from '@jest/globals';
import { compile, compileCondition, evaluate, type Diagnostic, type Graph } from '#libs/language';
import { chapters, type Case } from './read-cases.js';

/** Statements stand alone: nothing leads to their nodes, and few have a prompt. */
const OF_FRAGMENTS = ['reachability', 'prompt_on_llm_nodes'];
const CONTEXT = new Map<string, never>(
  Object.entries({ n: 10, f: false, s: 'abc', l: ['x', 'y'], o: { k: 1 }, 'a.b': 'flat', zero: 0, empty: '' }) as [
    string,
    never,
  ][],
);

describe.each(chapters())('$name', ({ cases, conditions }) => {
  if (cases.length > 0) it.each(cases)('$title', (one) => check(one));
  if (conditions.length > 0) {
    it.each(conditions)('$condition → $holds', ({ condition, holds }) => {
      expect(verdict(condition)).toBe(holds);
    });
  }
});

function check({ source, isBody, files, inputs, meaning }: Case): void {
  const scope = { inputs, vars: {}, undefinedIs: 'error' as const };
  const { graph, diagnostics } = compile(source, { path: 'main.dot', files, scope });
  const facts = meaning.filter((line) => !/^(?:error|warning|info|valid)\b/.test(line));
  const expected = meaning.filter((line) => /^(?:error|warning|info)\b/.test(line));
  const named = expected.map((line) => line.split(' ')[1]);
  const said = diagnostics.filter(
    ({ rule, severity }) => named.includes(rule) || (severity !== 'info' && !(isBody && OF_FRAGMENTS.includes(rule))),
  );
  expect(said.map((found) => shown(found, expected)).sort()).toEqual(expected.sort());
  for (const fact of facts) checkFact(graph!, fact);
}

/** With its place, where the expectation of its rule has one. */
function shown({ severity, rule, path, range }: Diagnostic, expected: readonly string[]): string {
  const short = `${severity} ${rule}`;
  const place = `${path === 'main.dot' ? '' : `${path}:`}${range.start.line}:${range.start.column}`;
  return expected.includes(short) ? short : `${short} ${place}`;
}

/** `node a kind="agent"`, `edge a -> b weight=2`, `graph goal="x"`, `nodes a b`, `edges a->b b->c`. */
function checkFact(graph: Graph, fact: string): void {
  expect(graph).toBeDefined();
  const [what, ...rest] = fact.split(' ');
  const fields = Object.fromEntries<unknown>(
    [...fact.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\[.*?\]|\S+)/g)].map(([, key, value]) => [
      key,
      JSON.parse(value!) as unknown,
    ]),
  );
  switch (what) {
    case 'nodes':
      return expect(graph.nodes.map(({ id }) => id).join(' ')).toBe(rest.join(' '));
    case 'edges':
      return expect(graph.edges.map(({ from, to }) => `${from}->${to}`).join(' ')).toBe(rest.join(' '));
    case 'graph':
      return expect({ ...graph.attributes, name: graph.name }).toMatchObject(fields);
    case 'node':
      return expect(graph.nodes.find(({ id }) => id === rest[0])).toMatchObject(fields);
    case 'edge': {
      const [from, , to] = rest;
      return expect(graph.edges.find((edge) => edge.from === from && edge.to === to)).toMatchObject(fields);
    }
    default:
      throw new Error(`No such expectation: ${fact}`);
  }
}

function verdict(condition: string): string {
  try {
    const scope = { outcome: 'succeeded', preferredLabel: 'Fix it', lookup: (key: string) => CONTEXT.get(key) };
    return evaluate(compileCondition(condition), scope) ? 'true' : 'false';
  } catch {
    return 'error';
  }
}
