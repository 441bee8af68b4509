import { describe, expect, it } from '@jest/globals';
import { compile } from '../../compile.js';

const inputs = { version: '1', name: 'Ann' };

function said(script: string, isCheck = true): string[] {
  const source = `digraph W { start; exit; a [script=${JSON.stringify(script)}]; start -> a -> exit }`;
  const scope = { inputs, vars: {}, undefinedIs: isCheck ? ('warning' as const) : ('error' as const) };
  return compile(source, { scope })
    .diagnostics.filter(({ rule }) => rule !== 'failure_goes_on')
    .map(({ severity, message, fix }) => `${severity} ${message} ${fix}`);
}

describe('words of a script that are almost tokens', () => {
  it.each([
    ['echo {{ input.version }}', 'warning "{{ input.version }}" ', 'Write {{ inputs.version }}.'],
    ['echo {{ inputs.version | upper }}', 'warning ', 'Write {{ inputs.version }}. A script takes'],
    ['echo {{ version }}', 'warning ', 'Write {{ inputs.version }}.'],
    ['echo {{ variables.REGION }}', 'warning ', 'Write {{ vars.REGION }}.'],
    ['echo {{ title }}', 'info ', 'as it is written. A script takes {{ goal }}'],
  ])('are named: %s', (script, severity, words) => {
    const [first = '', ...more] = said(script);
    expect([first.startsWith(severity), first.includes(words), more]).toEqual([true, true, []]);
  });
});

describe('variables of inputs', () => {
  it('that no input fills are named, with the nearest one, and once', () => {
    const fix = 'No input fills $RUNYARD_INPUT_VERSIN in the script of node "a". Did you mean $RUNYARD_INPUT_VERSION?';
    for (const isCheck of [true, false]) {
      expect(said('echo $RUNYARD_INPUT_VERSIN "$RUNYARD_INPUT_VERSIN"', isCheck)).toEqual([`warning ${fix}`]);
    }
    expect(said('echo $RUNYARD_INPUT_OTHER')).toEqual([expect.stringContaining('-I')]);
  });

  it('that inputs fill, that have a default, or belong to the run around, are not', () => {
    expect(said('echo $RUNYARD_INPUT_NAME ${RUNYARD_INPUT_OTHER:-none}; env | grep RUNYARD_INPUT_')).toEqual([]);
    const child = 'digraph C { start; exit; b [script="echo $RUNYARD_INPUT_X"]; start -> b -> exit }';
    const source = `digraph W { start; exit; m [shape=house, stack.child_dot_source=${JSON.stringify(child)}]; start -> m -> exit }`;
    const { diagnostics } = compile(source, { scope: { inputs, vars: {}, undefinedIs: 'error' } });
    expect(diagnostics.filter(({ rule }) => rule === 'template_undefined_variable')).toEqual([]);
  });
});

describe('variables in tests', () => {
  it('are looked for in linear time', () => {
    for (const piece of ['[ ', '[ "', '; test $', '[ "a" ', ';   [ a', '{ { ']) {
      const began = performance.now();
      expect(said(`${piece.repeat(20_000)} $RUNYARD_GOAL`).length).toBeLessThan(25);
      expect(performance.now() - began).toBeLessThan(2_000);
    }
  });
});

describe('a script with the line ends of Windows', () => {
  it('reaches the shell without them, and a value keeps its own', () => {
    const source =
      'digraph W {\r\nstart; exit\r\na [script="cat <<E\r\n{{ inputs.v }}\r\nE"]\r\nstart -> a -> exit\r\nb [x="{{"]}';
    const scope = { inputs: { v: 'x\r\ny' }, vars: {}, undefinedIs: 'error' as const };
    const { graph } = compile(source, { scope });
    expect(graph?.nodes.find(({ id }) => id === 'a')).toMatchObject({ script: 'cat <<E\nx\r\ny\nE' });
  });
});
