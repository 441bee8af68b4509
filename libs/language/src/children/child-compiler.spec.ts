import { describe, expect, it } from '@jest/globals';
import { compile, type Compilation } from '../compile.js';

const child = 'digraph Child { start; exit; work [prompt="@work.md"]; start -> work -> exit }';

function compiled(manager: string, files: Record<string, string> = {}): Compilation {
  const source = `digraph W {
    start; exit
    m [shape=house, ${manager}]
    start -> m -> exit
  }`;
  return compile(source, { path: 'flows/main.dot', files: new Map(Object.entries(files)) });
}

function found(compilation: Compilation): string[] {
  return compilation.diagnostics.map(
    ({ severity, rule, path, range }) => `${severity} ${rule} ${path}:${range.start.line}:${range.start.column}`,
  );
}

describe('a child workflow', () => {
  it('is compiled with its own files', () => {
    const { graph, diagnostics } = compiled('stack.child_workflow="child.dot"', {
      'flows/child.dot': child,
      'flows/work.md': 'Do it.',
    });
    expect(diagnostics).toEqual([]);
    expect(graph?.nodes[2]).toMatchObject({
      child: { path: 'flows/child.dot', graph: { name: 'Child', nodes: [{}, {}, { prompt: 'Do it.' }] } },
    });
  });

  it('may stand in the source itself, and wins over a file', () => {
    const { graph } = compiled(
      'stack.child_workflow="none.dot", stack.child_dot_source="digraph C { start; exit; start -> exit }"',
    );
    expect(graph?.nodes[2]).toMatchObject({ child: { graph: { name: 'C' } } });
    expect(graph?.nodes[2]).not.toHaveProperty('child.path');
  });

  it('that is not there is an error, as one that cannot be read is', () => {
    const compilation = compiled('stack.child_workflow="none.dot"');
    expect(found(compilation)).toEqual(['error child_workflow flows/main.dot:3:42']);
    expect(compilation.graph).toBeUndefined();
  });

  it('is reported where it is wrong, once for all who run it', () => {
    const files = { 'flows/child.dot': 'digraph C {\n start; exit; start -> lost\n}' };
    const twice = compiled(
      'stack.child_workflow="child.dot"]; n [shape=house, stack.child_workflow="child.dot"',
      files,
    );
    expect(found(twice).filter((text) => text.startsWith('error'))).toEqual([
      'error edge_target_exists flows/child.dot:2:15',
    ]);
    expect(twice.graph).toBeUndefined();
  });

  it('in the source is reported inside the attribute, through its escapes', () => {
    const inline = String.raw`stack.child_dot_source="digraph C { start; exit; a [label=\"x\"] a -> lost; start -> a -> exit }"`;
    const [first] = compiled(inline).diagnostics;
    expect(first).toMatchObject({ rule: 'edge_target_exists', path: 'flows/main.dot' });
    const column = 21 + inline.indexOf('a -> lost');
    expect(first?.range.start).toMatchObject({ line: 3, column });
  });

  it('may not contain itself', () => {
    const files = {
      'flows/a.dot': 'digraph A { start; exit; m [shape=house, stack.child_workflow="b.dot"]; start -> m -> exit }',
      'flows/b.dot': 'digraph B { start; exit; m [shape=house, stack.child_workflow="a.dot"]; start -> m -> exit }',
    };
    const { diagnostics } = compiled('stack.child_workflow="a.dot"', files);
    expect(diagnostics.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('contains it: flows/a.dot -> flows/b.dot -> flows/a.dot'),
    );
  });

  it('that would double with every file ends in one error', () => {
    const level = (next: string): string =>
      `digraph L { start; exit; a [shape=house, stack.child_workflow="${next}"]; b [shape=house, stack.child_workflow="${next}"]; start -> a -> b -> exit }`;
    const leaf = 'digraph Leaf { start; exit; start -> exit }';
    const bomb = Object.fromEntries(Array.from({ length: 28 }, (_, at) => [`flows/${at}.dot`, level(`${at + 1}.dot`)]));
    const { graph, diagnostics } = compiled('stack.child_workflow="0.dot"', { ...bomb, 'flows/28.dot': leaf });
    expect(graph).toBeUndefined();
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['graph_size']);
  });
});
