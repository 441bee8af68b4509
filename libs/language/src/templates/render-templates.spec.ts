import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compile, type Compilation, type CompileOptions } from '../compile.js';
import { type TemplateScope } from './template-scope.js';

const scope: TemplateScope = {
  inputs: { name: 'Ann', count: 5, share: 1.5, agreed: true, 'my-key': 'k', file: '@plan.md', code: '{{ goal }}' },
  vars: { REGION: "it's" },
  undefinedIs: 'error',
};
const files = new Map([
  ['plan.md', 'Plan {{ goal }} with {{ inputs.name }}'],
  ['undefined.md', 'First line\n{{ goal }} {{ inputs.gone }}'],
  ['with-include.md', '{% include "undefined.md" %}'],
]);

function compiled(body: string, options: CompileOptions = { scope }): Compilation {
  return compile(`digraph W { start; exit; ${body} start -> a -> exit }`, { path: 'main.dot', files, ...options });
}

/** The text of an attribute of node `a`. */
function text(body: string, key = 'prompt', options?: CompileOptions): unknown {
  const { graph, diagnostics } = compiled(body, options);
  return graph?.nodes.find(({ id }) => id === 'a')?.rawAttributes[key] ?? diagnostics;
}

function found(body: string, options?: CompileOptions): string[] {
  const rules = ['template_undefined_variable', 'template_syntax', 'goal_self_reference', 'unresolved_file_ref'];
  return compiled(body, options)
    .diagnostics.filter(({ rule }) => rules.includes(rule))
    .map(({ severity, message, path, range: { start, end } }) => {
      return `${severity} ${path}:${start.line}:${start.column}-${end.column} ${message}`;
    });
}

describe('goal and prompts', () => {
  it('are rendered in that order, each once', () => {
    expect(text('goal="Ship {{ inputs.name }}" a [prompt="{{ goal }}!"]')).toBe('Ship Ann!');
    expect(text('a [prompt="{{ inputs.code }} {{ inputs.count }} {{ vars.REGION }}"]')).toBe("{{ goal }} 5 it's");
    expect(text('a [prompt="[{{ goal }}]"]')).toBe('[]');
    expect(compiled('goal="{{ inputs.share }}" a [label=A];').graph?.attributes.goal).toBe('1.5');
    expect(text('a [prompt="{{ goal }}"]', 'prompt', { scope, goal: 'Given to {{ inputs.name }}' })).toBe(
      'Given to Ann',
    );
  });

  it('may name inputs like what every object has, and get nothing for those that nobody gave', () => {
    const own = {
      inputs: Object.fromEntries([
        ['__proto__', 'p'],
        ['constructor', 'c'],
      ]),
      vars: {},
      undefinedIs: 'error' as const,
    };
    const names = 'a [prompt="{{ inputs.__proto__ }} {{ inputs.constructor }}"]';
    expect(text(names, 'prompt', { scope: own })).toBe('p c');
    expect(found('a [prompt="{{ inputs.toString }}"]')[0]).toContain('Undefined variable "inputs.toString"');
  });

  it('come from files, also from those that a template names', () => {
    expect(text('goal=G a [prompt="@plan.md"]')).toBe('Plan G with Ann');
    expect(text('goal=G a [prompt="{{ inputs.file }}"]')).toBe('Plan G with Ann');
    expect(found('a [prompt="{{ \'@gone.md\' }}"]')).toEqual([
      'error main.dot:1:36-54 Unresolved file reference: the prompt of node "a" renders to the file "gone.md", which is missing.',
    ]);
  });

  it('point at an undefined name where it stands, and say how to define it', () => {
    const { diagnostics } = compiled(
      String.raw`a [prompt="say \"{{ inputs.gone }}\" in {{ vars.GONE }} {{ env.HOME }} {{ name }} {{ x }}"]`,
    );
    expect(diagnostics).toMatchObject([
      {
        rule: 'template_undefined_variable',
        severity: 'error',
        nodeId: 'a',
        message: 'Undefined variable "inputs.gone" in the prompt of node "a".',
        fix: 'Give it with -I gone=…, or give it a default in [run.inputs].',
        path: 'main.dot',
        range: { start: { column: 46 }, end: { column: 57 } },
      },
      { fix: 'Define the variable GONE on the server.', range: { start: { column: 69 }, end: { column: 78 } } },
      { fix: expect.stringContaining('neither secrets nor variables of the environment') },
      { fix: 'Write inputs.name.' },
      { fix: 'Templates may name goal, inputs.NAME and vars.NAME.' },
    ]);
  });

  it.each([
    [
      'a [prompt="@undefined.md"]',
      'error undefined.md:2:15-26 Undefined variable "inputs.gone" in the prompt of node "a".',
    ],
    [
      'a [prompt="@with-include.md"]',
      'error undefined.md:2:15-26 Undefined variable "inputs.gone" in the prompt of node "a".',
    ],
    ['goal="@undefined.md" a [label=A]', 'error undefined.md:2:4-8 The goal cannot refer to itself.'],
    [
      'a [prompt="x\n {% if %}"]',
      'error main.dot:2:2-10 The prompt of node "a" cannot be rendered: {% if %} is never closed by {% endif %}.',
    ],
  ])('point into files: %s', (body, finding) => {
    expect(found(body)).toContain(finding);
  });

  it('keep to themselves what they set', () => {
    const body =
      'goal=G b [prompt="{% set goal = 1 %}{% set x = 2 %}{{ goal }}"]; a [prompt="{{ goal }}{{ x is defined }}"]';
    expect(text(body)).toBe('Gfalse');
  });

  it('that nodes share are rendered once', () => {
    expect(found('node [prompt="{{ inputs.gone }}"]; a; b; c;')).toHaveLength(1);
  });

  it('of which nobody knows the inputs stay as they are written', () => {
    expect(text('a [prompt="{{ goal }} {{ inputs.x }}"]', 'prompt', {})).toBe('{{ goal }} {{ inputs.x }}');
    expect(text('goal=G a [prompt="{{ goal }}"]', 'prompt', {})).toBe('G');
    expect(text('goal="{{ inputs.x }}" a [prompt="{{ goal }}"]', 'prompt', {})).toBe('{{ goal }}');
    expect(found('a [prompt="{{ inputs.x + 1 }} {{ y }}"]', {})).toEqual([
      'warning main.dot:1:59-60 Undefined variable "y" in the prompt of node "a".',
    ]);
  });

  it('may go through thousands of items', () => {
    const loop = '{% for i in range(5000) %}{{ i + 1 }},{% endfor %}';
    expect(text(`a [prompt="${loop}"]`, 'prompt')).toContain(',4999,5000,');
  });

  it('share one budget, and outgrowing it is said once', () => {
    const loop = '{% for i in range(100000) %}{% for i in range(100000) %}{% endfor %}{% endfor %}';
    const nodes = ['a', 'b', 'c'].map((id) => `${id} [prompt="${id} ${loop}"];`).join(' ');
    expect(found(nodes)).toEqual([expect.stringContaining('the templates of this workflow take too much work')]);
  });

  it('of child workflows see neither inputs nor variables', () => {
    const child =
      'digraph C { goal=Inner; start; exit; c [prompt=\\"{{ goal }} {{ inputs.name }}\\"]; start -> c -> exit }';
    expect(found(`a [shape=house, stack.child_dot_source="${child}"];`)).toEqual([
      expect.stringContaining('Undefined variable "inputs.name" in the prompt of node "c".'),
    ]);
  });

  it('without a template cost next to nothing', () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => `n${at}`);
    const { diagnostics } = compiled(
      `a [label=A]; ${ids.map((id) => `${id} [prompt="Do {${id}}"]`).join(';')}; a -> ${ids.join(' -> ')} -> exit`,
    );
    expect(diagnostics).toEqual([]);
  });
});

describe('tokens in scripts', () => {
  it.each([
    ['echo {{ goal }} {{inputs.name}} {{ vars.REGION }}', "echo 'Ship $it' 'Ann' 'it'\\''s'"],
    ['ls {{ inputs.count }} {{ inputs.share }} {{ inputs.agreed }} {{ inputs.my-key }}', "ls '5' '1.5' 'true' 'k'"],
    ['echo {{ inputs.code }}', "echo '{{ goal }}'"],
    [
      '{{  goal }} {{ goal | upper }} {{- goal }} {% if x %} {{ other }} ${{x}}',
      '{{  goal }} {{ goal | upper }} {{- goal }} {% if x %} {{ other }} ${{x}}',
    ],
  ])('become one word each in a shell: %s', (script, rendered) => {
    expect(text(`goal="Ship $it" a [script="${script}"]`, 'script')).toBe(rendered);
  });

  it('become texts in Python, also where a shell shares the script', () => {
    const body = 'goal="a\\"b" node [script="x = {{ goal }}"]; a [language=python]; b;';
    expect(text(body, 'script')).toBe('x = "a\\"b"');
    expect(compiled(body).graph?.nodes.find(({ id }) => id === 'b')).toMatchObject({ script: `x = 'a"b'` });
  });

  it('stay where nothing is known of them, and are reported where nothing defines them', () => {
    const body = 'a [script="ls {{ goal }} {{ inputs.x }} {{ vars.Y }}"]';
    expect(text(body, 'script', {})).toBe("ls '' {{ inputs.x }} {{ vars.Y }}");
    expect(text(body, 'script', { scope: { ...scope, undefinedIs: 'warning' } })).toBe(
      "ls '' {{ inputs.x }} {{ vars.Y }}",
    );
    expect(found(body)).toEqual([
      'error main.dot:1:51-65 Undefined variable "inputs.x" in the script of node "a".',
      'error main.dot:1:66-78 Undefined variable "vars.Y" in the script of node "a".',
    ]);
  });

  it.each<[string, CompileOptions]>([
    ['without a scope', {}],
    ['in a check', { scope: { ...scope, undefinedIs: 'warning' } }],
  ])('show neither secrets nor the environment, %s', (_, options) => {
    const body = 'a [goal_gate=true, retry_target=a, script="{{ env.HOME }} {{ secrets.TOKEN }}"]';
    const fix = expect.stringContaining("the environment's env table");
    expect(compiled(body, options).diagnostics).toMatchObject([
      { severity: 'error', message: 'Undefined variable "env.HOME" in the script of node "a".', fix },
      { severity: 'error', message: 'Undefined variable "secrets.TOKEN" in the script of node "a".', fix },
    ]);
  });
});

describe('whatever an author writes', () => {
  const words =
    '{{ }} {% %} {# #} - ( ) [ ] { } . , : | = == ~ + * ** / % " \' \\\\ 0 1.5 x goal inputs.name vars range if else elif endif ';
  const more =
    'for in endfor set endset macro endmacro call endcall filter endfilter raw endraw include is not and or none upper join default split loop namespace';
  const piece = fc.oneof(
    fc.constantFrom(...`${words}${more}`.split(' ')),
    fc.constantFrom(
      '{% if x %}',
      '{% endif %}',
      '{% for x in [1, "a"] %}',
      '{% endfor %}',
      '{{ x | upper }}',
      '{{ x.y[0] }}',
    ),
    fc.string({ unit: 'grapheme' }),
  );

  it('is rendered or reported, in the source', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom(' ', ''), (pieces, space) => {
        const value = JSON.stringify(pieces.join(space));
        const source = `digraph W { start; exit; a [prompt=${value}, label=A]; start -> a -> exit }`;
        for (const { message, range } of compile(source, { scope }).diagnostics) {
          expect(message).toMatch(/\.$/);
          expect(range.start.offset).toBeLessThan(range.end.offset);
          expect(range.end.offset).toBeLessThanOrEqual(source.length);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
