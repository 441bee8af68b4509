import { normalizeLabel } from '../routing/label.js';
import type { GateChoice } from './options.js';

/**
 * The choices that yes and no stand for: those called so, by label before key. Where one has no choice of that name, yes
 * is the first of the others and no the last; no choice is both.
 */
export function yesOrNo(choices: readonly GateChoice[]): Partial<Record<'yes' | 'no', GateChoice>> {
  const namedYes = called(choices, 'yes', 'y');
  const namedNo = called(except(choices, namedYes), 'no', 'n');
  const yes = namedYes ?? except(choices, namedNo)[0];
  const no = namedNo ?? except(choices, yes).at(-1);
  return { ...(yes && { yes }), ...(no && { no }) };
}

function called(choices: readonly GateChoice[], word: string, letter: string): GateChoice | undefined {
  return (
    choices.find(({ option }) => normalizeLabel(option.label) === word) ??
    choices.find(({ option }) => [word, letter].includes(option.key.toLowerCase()))
  );
}

function except(choices: readonly GateChoice[], one: GateChoice | undefined): GateChoice[] {
  return choices.filter((choice) => choice !== one);
}
