import { describe, expect, it } from '@jest/globals';
import { compile } from '../compile.js';
import type { ReadInputs } from './inputs-read.js';

const scope = { inputs: { given: 1 }, vars: {}, undefinedIs: 'error' as const };

function read(attributes: string, files: Record<string, string> = {}): ReadInputs {
  const source = `digraph A { start [shape=Mdiamond] exit [shape=Msquare] a [${attributes}] start -> a -> exit }`;
  return compile(source, { path: 'a.dot', files: new Map(Object.entries(files)), scope }).inputs;
}
const prompt = (text: string): string => `prompt="${text}"`;

describe('the inputs that a workflow reads', () => {
  it.each([
    [prompt('{{ inputs.given }}'), ['given']],
    [prompt("{{ inputs['my key'] }}"), ['my key']],
    [prompt('{% if false %}{{ inputs.never }}{% elif inputs.asked %}{% endif %}'), ['never', 'asked']],
    [prompt("{{ inputs.maybe | default('x') }}"), ['maybe']],
    ['shape=parallelogram, script="echo {{ inputs.word }} {{ goal }} $inputs.x"', ['word']],
    [prompt('{{ goal }} {{ vars.inputs.x }} inputs.x'), []],
  ])('are those that %s names', (attributes, names) => {
    const { names: found, readsAny } = read(attributes);
    expect([[...found], readsAny]).toEqual([names, false]);
  });

  it('are also those of files, and of what they include', () => {
    const files = { 'a.md': '{{ inputs.one }}{% include "b.md" %}', 'b.md': '{{ inputs.two }}' };
    expect([...read('prompt="@a.md"', files).names]).toEqual(['one', 'two']);
  });

  it.each(['{{ inputs[goal] }}', '{% for key in inputs %}{% endfor %}', '{{ inputs.items() }}', '{{ inputs.a ', ''])(
    'may be any where a text looks them up otherwise: %s',
    (text) => {
      expect(read(text === '' ? 'prompt=' : prompt(text)).readsAny).toBe(true);
    },
  );

  it('are missing when a text goes through them and nothing defines them', () => {
    const text = '{{ inputs.given }}{{ inputs.gone }}{% if inputs.asked %}{% endif %}';
    expect([...read(prompt(text)).missing]).toEqual(['gone']);
    expect([...read('shape=parallelogram, script="echo {{ inputs.word }}"').missing]).toEqual(['word']);
  });
});
