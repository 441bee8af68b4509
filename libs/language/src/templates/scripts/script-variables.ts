/** The variable in which every command finds the goal. */
export const GOAL_VARIABLE = 'RUNYARD_GOAL';

/** The variable in which every command finds an input. Inputs that differ in signs and case alone share a name. */
export function variableOfInput(input: string): string {
  return `RUNYARD_INPUT_${input.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}
