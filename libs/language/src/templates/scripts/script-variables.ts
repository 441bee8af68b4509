/** The variable in which every command finds the goal. */
export const GOAL_VARIABLE = 'RUNYARD_GOAL';

const INPUT = 'RUNYARD_INPUT_';

/** Every name in a script that may be the variable of an input. */
export const INPUT_VARIABLES = new RegExp(`${INPUT}[A-Z0-9_]+`, 'g');

/** The variable in which every command finds an input. Inputs that differ in signs and case alone share a name. */
export function variableOfInput(input: string): string {
  return `${INPUT}${input.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}
