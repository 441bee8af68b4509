import { describe, expect, it } from '@jest/globals';
import { compile, type Graph } from '#libs/language';
import { missingVariables, scriptVariables } from './script-variables.js';

const KIB = 1024;
const long = (kib: number): string => 'x'.repeat(kib * KIB);

function graphOf(script: string, goal = 'G'): Graph {
  const child = `digraph C { goal=inner; start; exit; b [script=${JSON.stringify(script)}]; start -> b -> exit }`;
  const nodes = `a [script=${JSON.stringify(script)}]; m [shape=house, stack.child_dot_source=${JSON.stringify(child)}]`;
  return compile(`digraph W { goal="${goal}"; start; exit; ${nodes}; start -> a -> m -> exit }`).graph!;
}

describe('the variables of scripts', () => {
  it('are the goal, and the inputs under their names in capitals', () => {
    const inputs = { name: 'Ann', 'with-dash': '$(id)\n', 'ä.b': 1.5, ok: true, '1st': '' };
    expect(scriptVariables(inputs, 'Ship it')).toEqual({
      env: {
        RUNYARD_GOAL: 'Ship it',
        RUNYARD_INPUT_NAME: 'Ann',
        RUNYARD_INPUT_WITH_DASH: '$(id)\n',
        RUNYARD_INPUT___B: '1.5',
        RUNYARD_INPUT_OK: 'true',
        RUNYARD_INPUT_1ST: '',
      },
      withheld: new Map(),
    });
  });

  it('leave out a name that two inputs share', () => {
    const { env, withheld } = scriptVariables({ 'a-b': '1', A_B: '2', c: '3' }, '');
    expect(env).toEqual({ RUNYARD_GOAL: '', RUNYARD_INPUT_C: '3' });
    expect([...withheld]).toEqual([['RUNYARD_INPUT_A_B', 'the inputs "a-b" and "A_B" would share it']]);
  });

  it('leave out what no process takes: one that is too long, and the largest of too many', () => {
    const { env, withheld } = scriptVariables({ a: long(99), b: long(98), c: long(97), d: long(101), e: 'a\0' }, 'G');
    expect(Object.keys(env)).toEqual(['RUNYARD_GOAL', 'RUNYARD_INPUT_B', 'RUNYARD_INPUT_C']);
    expect(Object.fromEntries(withheld)).toEqual({
      RUNYARD_INPUT_A: 'it and the smaller ones take more than 256 KiB',
      RUNYARD_INPUT_D: 'its value takes more than 100 KiB',
      RUNYARD_INPUT_E: 'its value holds the character U+0000',
    });
  });
});

describe('a script that names a variable which is not there', () => {
  const inputs = { a: long(101), b: '' };

  it('is found, in sub-workflows too', () => {
    expect(missingVariables(graphOf('echo $RUNYARD_INPUT_A'), inputs)).toEqual([
      expect.stringMatching(/^The script of node "a" names the variable RUNYARD_INPUT_A, .* more than 100 KiB\. /),
      expect.stringContaining('node "b"'),
    ]);
  });

  it('is none when it names another one, or none', () => {
    expect(missingVariables(graphOf('echo $RUNYARD_INPUT_B $RUNYARD_INPUT_AB $RUNYARD_GOAL'), inputs)).toEqual([]);
  });

  it('is held to the goal of its own workflow', () => {
    expect(missingVariables(graphOf('echo $RUNYARD_GOAL', long(101)), {})).toHaveLength(1);
  });
});
