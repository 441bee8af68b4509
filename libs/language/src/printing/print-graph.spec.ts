import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compile, format, printGraph, type CompileOptions, type Graph } from '../index.js';

const ENDS = 'start [shape=Mdiamond]; exit [shape=Msquare];';

function graphOf(source: string, options?: CompileOptions): Graph {
  const { graph, diagnostics } = compile(source, options);
  if (!graph) throw new Error(`${diagnostics.map(({ message }) => message).join('\n')}\n${source}`);
  return graph;
}

/** Asserts that the print of a graph is the graph again, in the order of everything, and gives the print. */
function printed(graph: Graph, options?: CompileOptions): string {
  const text = printGraph(graph);
  const again = graphOf(text, options);
  expect(again).toStrictEqual(graph);
  expect(JSON.stringify(again)).toBe(JSON.stringify(graph));
  expect(format(text).text).toBe(text);
  return text;
}

/** The print of a workflow, without its start and its exit. */
function bodyOf(body: string, options?: CompileOptions): string {
  return printed(graphOf(`digraph W { ${ENDS} ${body} }`, options)).replace(/ {2}(start|exit) \[.*\n/g, '');
}

describe('printGraph', () => {
  it('writes what was filled in', () => {
    const source = `goal="Ship" stall_timeout="10m" graph [on.call=me] __proto__=x
      model_stylesheet="* { model: sheet }"
      node [timeout=90s]
      a [prompt="Do \\"it\\"\nnow \\\\d", retries=2.0, model=own, acp.x="5"]; b [script=ls, label="true"]
      edge [weight=3]
      start -> a -> b -> exit [label=on, unknown=5]`;
    expect(bodyOf(source)).toBe(`digraph W {
  goal = Ship
  stall_timeout = 10m
  graph [on.call=me]
  __proto__ = x
  model_stylesheet = "* { model: sheet }"

  a [
    timeout=90s,
    prompt="Do \\"it\\"
now \\\\d",
    retries=2,
    model=own,
    acp.x="5"
  ]
  b [timeout=90s, script=ls, label="true", model=sheet]

  start -> a [label=on, weight=3]
  a -> b [label=on, weight=3]
  b -> exit [label=on, weight=3]
}
`);
  });

  it('puts nodes into subgraphs that give them their classes', () => {
    const source = `subgraph { label="First Part" a [class="x, part"]; b; }
      subgraph { label=Part a; b; c }
      d [class="y x y"]
      start -> a -> b -> c -> d -> exit`;
    expect(bodyOf(source)).toContain(`
  subgraph {
    label = first-part
    a [class="x, part"]
    b
  }
  subgraph {
    label = part
    a
    b
  }

  subgraph {
    label = part
    c
  }

  d [class="y x y"]
`);
  });

  it('writes nodes that are named like the words of the language', () => {
    const source = 'node [label=n] subgraph; node; graph; edge -> exit; edge; start -> node -> graph; subgraph -> edge';
    expect(bodyOf(`${source}; graph -> exit; start -> exit`)).toContain('node [label=n]\n    node\n');
  });

  it('keeps texts that look like templates or references to files', () => {
    const files = new Map([
      ['goal.md', " @all {% raw %}{{ 'x' }}{{{% {# '{{{% endraw %}"],
      ['ask.md', '{% raw %}{% if x %}\\{{{ {#{% endraw %}\n\n'],
    ]);
    const options = { path: 'main.dot', files, scope: { inputs: {}, vars: {}, undefinedIs: 'error' as const } };
    const graph = graphOf(`digraph W { ${ENDS} goal="@goal.md" a [prompt="@ask.md"]; start -> a -> exit }`, options);
    expect(graph.nodes[2]).toMatchObject({ prompt: '{% if x %}\\{{{ {#\n' });
    printed(graph, options);
  });

  it('writes a child by the path of its file', () => {
    const files = new Map([['child.dot', `digraph C { ${ENDS} start -> exit }`]]);
    const source = `digraph W { ${ENDS} m [shape=house, stack.child_workflow="child.dot"]; start -> m -> exit }`;
    const options = { path: 'main.dot', files };
    expect(graphOf(source, options).nodes[2]).toMatchObject({ child: { path: 'child.dot' } });
    printed(graphOf(source, options), options);
  });

  it('gives imported nodes ids that can be written, and everything that leads to them', () => {
    const part = `digraph P { ${ENDS} a [class=Own, prompt=Do, retry_target=b]; b; start -> a -> b -> exit }`;
    const source = `digraph W { ${ENDS} retry_target=p p [import="part.dot", class="Given"]; p_a [label=A]
      start -> p -> p_a -> exit }`;
    const text = printGraph(graphOf(source, { path: 'main.dot', files: new Map([['part.dot', part]]) }));
    const { attributes, nodes, edges } = graphOf(text);
    expect(attributes.retryTarget).toBe('p_a_');
    expect(nodes.slice(2)).toMatchObject([
      { id: 'p_a_', label: 'p.a', classes: ['Own', 'Given', 'p'], retryTarget: 'p_b', prompt: 'Do' },
      { id: 'p_b', label: 'p.b', classes: ['Given', 'p'], prompt: 'p.b' },
      { id: 'p_a', label: 'A', classes: [] },
    ]);
    expect(edges.map(({ from, to }) => `${from} -> ${to}`)).toEqual([
      'start -> p_a_',
      'p_b -> p_a',
      'p_a -> exit',
      'p_a_ -> p_b',
    ]);
  });
});

describe('any graph', () => {
  const text = fc.string({ unit: 'grapheme' }).map((any) => JSON.stringify(any.replaceAll('\0', '')));
  const oneOf = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
  const template = fc.oneof(text, oneOf('"{{ 5 }}\n\n"', '"{% raw %}{{{% {#\n{% endraw %}"', `"{{ '@' }}x"`));
  const value = fc.oneof(
    text,
    oneOf('true', '"true"', '5', '"5"', '-0', '2.0', '1.5', '-.5', '0.0000001', `${'9'.repeat(400)}.5`, '-0.0'),
    oneOf(
      '9007199254740993',
      '5m',
      '"5m"',
      '-5m',
      'word',
      'gpt-5.2',
      '"{{ 5 }}"',
      '"{% raw %}{{{% endraw %}"',
      '"\\d"',
    ),
  );
  const attribute = fc.oneof(
    fc.tuple(oneOf('x', 'acp.x', '__proto__', 'constructor', 'toString'), value),
    fc.tuple(oneOf('label', 'reasoning_effort', 'speed', 'thread_id'), text),
    fc.tuple(
      oneOf('prompt'),
      template.filter((written) => !written.includes('@')),
    ),
    fc.tuple(oneOf('timeout'), oneOf('5m', '"1500ms"', '0s', '90s', '48h')),
    fc.tuple(oneOf('max_retries', 'max_visits', 'output_retries', 'max_tokens'), oneOf('3', '"3"', '-1', '0')),
    fc.tuple(oneOf('goal_gate', 'auto_status', 'project_memory'), oneOf('true', '"false"')),
    fc.tuple(oneOf('class'), oneOf('x', '"y, x  z"', '"Own part-1"', '""')),
    fc.tuple(oneOf('shape'), oneOf('box', 'tab', 'parallelogram', 'hexagon', 'diamond', 'tripleoctagon', '"egg"')),
    fc.tuple(oneOf('script'), oneOf('"ls"', '"echo {{ goal }}"')),
  );
  const list = fc.array(attribute, { maxLength: 4 }).map((pairs) => `[${pairs.map((pair) => pair.join('=')).join()}]`);
  const edgeAttribute = fc.oneof(
    fc.tuple(oneOf('label', 'thread_id', 'x'), text),
    fc.tuple(oneOf('weight'), oneOf('3', '-1', '0')),
    fc.tuple(oneOf('fidelity'), oneOf('full', '"summary:high"')),
    fc.tuple(oneOf('loop_restart', 'freeform'), oneOf('true', 'false')),
    fc.tuple(oneOf('condition'), oneOf('"outcome=failed"', '"x=\\"1\\""')),
  );
  const edgeList = fc
    .array(edgeAttribute, { maxLength: 3 })
    .map((pairs) => `[${pairs.map((pair) => pair.join('=')).join()}]`);
  const id = oneOf('a', 'b', 'c', '_1', 'Graph');
  const subgraphLabel = oneOf('', 'label="x"', 'label="Part 1"', 'label="!"', 'label="5"');
  const { block } = fc.letrec<{ block: string; statement: string }>((tie) => ({
    statement: fc.oneof(
      { depthSize: 'small' },
      fc.tuple(id, list).map((parts) => parts.join(' ')),
      fc.tuple(id, id, edgeList).map(([from, to, attributes]) => `${from} -> ${to} ${attributes}`),
      oneOf('node', 'graph', 'edge').map((word) => `${word};`),
      list.map((attributes) => `node ${attributes}`),
      edgeList.map((attributes) => `edge ${attributes}`),
      fc.tuple(oneOf('owner', 'goal', 'label'), template).map((parts) => parts.join('=')),
      fc.tuple(subgraphLabel, tie('block')).map(([label, inner]) => `subgraph { ${label} ${inner} }`),
    ),
    block: fc.array(tie('statement'), { maxLength: 8 }).map((statements) => statements.join('\n')),
  }));

  it('is what its print compiles to', () => {
    let graphs = 0;
    fc.assert(
      fc.property(block, (statements) => {
        const frame = `node [shape=box, prompt=p, label=l] subgraph { a b c _1 Graph } start -> a -> b -> c -> exit`;
        const { graph } = compile(`digraph W { ${ENDS} ${frame}\n${statements} }`);
        if (graph) {
          graphs++;
          printed(graph);
        }
      }),
      { numRuns: 300 },
    );
    expect(graphs).toBeGreaterThan(100);
  });
});
