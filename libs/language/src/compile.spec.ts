import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compile } from './compile.js';

/** `error start_node`, rule by rule. */
function found(source: string): string[] {
  return compile(source).diagnostics.map(({ severity, rule }) => `${severity} ${rule}`);
}

const ends = 'start [shape=Mdiamond] exit [shape=Msquare]';

describe('compile', () => {
  it.each([
    [`digraph W { ${ends} start -> exit }`, []],
    [`digraph W { ${ends} a; start -> a -> exit }`, ['warning prompt_on_llm_nodes']],
    [`digraph W { ${ends} start -> b }`, ['error edge_target_exists', 'warning reachability']],
    ['strict digraph W {}', ['error syntax']],
    ['graph W {}', ['error syntax']],
    ['digraph {}', ['error syntax']],
  ])('%s → %j', (source, expected) => {
    expect(found(source).sort()).toEqual([...expected].sort());
  });

  // gate <- start ; gate -succeeded-> exit ; gate -failed-> exit
  it('refuses a diamond that knows two outcomes and nothing else, and says both reasons', () => {
    const source = `digraph W { ${ends} gate [shape=diamond] start -> gate
      gate -> exit [condition="outcome=succeeded"]
      gate -> exit [condition="outcome=failed"] }`;
    expect(found(source)).toEqual(['error all_conditional_edges', 'warning orphan_custom_outcome']);
  });

  it('gives a graph exactly when there is no error', () => {
    expect(compile(`digraph W { ${ends} a; start -> a -> exit }`).graph?.name).toBe('W');
    expect(compile(`digraph W { ${ends} start -> b }`).graph).toBeUndefined();
  });

  it('reports a thousand findings of a rule, says how many there are beyond, and hides no other rule', () => {
    const ids = Array.from({ length: 1_200 }, (_, i) => `n${i}`).join('; ');
    const { diagnostics, leftOut } = compile(`digraph W { ${ends} ${ids}; start -> exit; start -> gone }`);
    const unreached = diagnostics.filter(({ rule }) => rule === 'reachability');
    expect([unreached.length, leftOut]).toEqual([1_000, 2 * 200]);
    expect(diagnostics.map(({ rule }) => rule)).toContain('edge_target_exists');
  });

  it.each([
    [
      'a loop',
      'a [prompt="{% for i in range(9999) %}{% for j in range(999) %}x{% endfor %}{% endfor %}"]; start -> a -> exit',
    ],
    ['patterns', Array.from({ length: 20 }, (_, i) => `start -> exit [condition="x${i} matches a{900}"];`).join(' ')],
  ])('says that a brief effort does not suffice for %s', (_, body) => {
    const source = `digraph W { ${ends} ${body} start -> exit }`;
    expect(compile(source, { effort: 'brief' }).isCutShort).toBe(true);
    expect(compile(`digraph W { ${ends} start -> exit }`, { effort: 'brief' }).isCutShort).toBe(false);
  });

  it('does not check further what it could not read', () => {
    expect(found('digraph W { a -- b }')).toEqual(['error syntax']);
  });

  it('takes the goal of the run instead of the one that is written, before any rule looks', () => {
    const source = `digraph W { goal="@goal.md" ${ends} start -> exit }`;
    expect(compile(source).graph).toBeUndefined();
    const { graph } = compile(source, { goal: 'Ship it' });
    expect(graph?.attributes.goal).toBe('Ship it');
    expect(graph?.rawAttributes).toEqual({ goal: 'Ship it' });
    expect(compile(source, { goal: '' }).graph?.attributes.goal).toBe('');
  });

  it('gives plain data, which JSON gives back unchanged', () => {
    const { graph } = compile(`digraph W {
      goal="g" __proto__="x" stall_timeout=10m
      ${ends} __proto__ [label="p", constructor=1]; h [shape=hexagon, timeout=1h]
      start -> __proto__ -> h; h -> exit [label="[Y] Yes", weight=-0]
    }`);
    expect(graph).toBeDefined();
    expect(JSON.parse(JSON.stringify(graph))).toStrictEqual(graph);
  });
});

describe('compile, whatever it is given', () => {
  const word = fc.constantFrom('start', 'exit', 'a', 'b', 'p', '__proto__', 'node', 'graph');
  const key = fc.constantFrom(
    'label',
    'shape',
    'type',
    'script',
    'prompt',
    'timeout',
    'for_each',
    'condition',
    'fidelity',
    'thread_id',
    'goal_gate',
    'backend',
    'acp.config',
    'class',
    'retry_target',
    '__proto__',
    'nonsense',
  );
  const value = fc.oneof(
    fc.constantFrom(
      'box',
      'hexagon',
      'component',
      'house',
      'insulator',
      'command',
      'full',
      'true',
      '5',
      '30s',
      '-1',
      '1.5',
      'acp',
      'a',
    ),
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  );
  const attributes = fc
    .array(fc.tuple(key, value))
    .map((pairs) => `[${pairs.map((pair) => pair.join('=')).join(', ')}]`);
  const statement = fc.oneof(
    fc.tuple(word, attributes).map((parts) => parts.join(' ')),
    fc.tuple(word, word, attributes).map(([from, to, list]) => `${from} -> ${to} ${list}`),
    fc.tuple(word, attributes).map(([name, list]) => `subgraph ${name} { label="x"; node ${list}; ${name} }`),
  );

  it('never throws, and points into the source', () => {
    fc.assert(
      fc.property(fc.array(statement), (statements) => {
        const source = `digraph W { start; exit; ${statements.join('\n')} }`;
        const { graph, diagnostics } = compile(source);
        expect(graph === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
        for (const { range, message } of diagnostics) {
          expect(message).toMatch(/\.$/);
          expect(range.start.offset).toBeLessThan(range.end.offset);
          expect(range.end.offset).toBeLessThanOrEqual(source.length);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('compiles ten thousand nodes', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
    const nodes = ids.map((id) => `${id} [label="${id}", prompt="Do ${id}", timeout="900s"]`).join('\n');
    const { graph, diagnostics } = compile(`digraph W { ${ends} ${nodes} start -> ${ids.join(' -> ')} -> exit }`);
    expect(diagnostics).toEqual([]);
    expect(graph?.nodes).toHaveLength(10_002);
  });

  it.each([
    ['a string', 'digraph W { a [label="'],
    ['a comment', 'digraph W { /*'],
    ['a bracket', 'digraph W { a ['],
    ['a brace', 'digraph W { subgraph {'],
    ['half of a surrogate pair', 'digraph W { a [label="\ud800"] }'],
    ['U+0000', 'digraph W { a [label="\0"] }'],
    ['nothing', ''],
    ['no workflow', '\ufffd\ufffd PK\u0003\u0004'],
    ['blocks a thousand deep', `digraph W { ${'subgraph { '.repeat(1_000)}${'} '.repeat(1_000)} }`],
    ['blocks a hundred thousand deep', `digraph W { ${'subgraph { '.repeat(100_000)}`],
    ['brackets without end', `digraph W { a ${'['.repeat(100_000)}`],
  ])('ends with %s', (_, source) => {
    const { graph, diagnostics } = compile(source);
    expect(graph).toBeUndefined();
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.length).toBeLessThanOrEqual(50);
  });

  it('refuses a pattern of a megabyte, or takes it', () => {
    const source = (pattern: string): string =>
      `digraph W { ${ends} start -> exit [condition="a matches ${pattern}"] start -> exit }`;
    expect(
      compile(source(`(${'a|'.repeat(500_000)}a)`)).diagnostics.every(({ rule }) =>
        ['condition_syntax', 'text_length'].includes(rule),
      ),
    ).toBe(true);
    expect(compile(source('('.repeat(1_000_000))).graph).toBeUndefined();
  });

  it.each([
    ['negations', `start -> exit [condition="${'!'.repeat(100_000)}a"]`],
    ['clauses', `start -> exit [condition="${'a&&'.repeat(100_000)}a"]`],
    ['groups in a pattern', `start -> exit [condition="a matches ${'('.repeat(10_000)}"]`],
    ['nested JSON', `a [output_schema="${'['.repeat(100_000)}"]`],
    ['attributes of one node', `a [${'x=1 '.repeat(200_000)}]`],
    ['unknown attributes', Array.from({ length: 20_000 }, (_, index) => `key${index}=1`).join(' ')],
    ['missing nodes', Array.from({ length: 10_000 }, (_, index) => `a${index} -> b${index}`).join('\n')],
  ])('answers very many %s', (_, body) => {
    expect(compile(`digraph W { start; exit; ${body} }`).diagnostics.length).toBeGreaterThan(0);
  });
});
