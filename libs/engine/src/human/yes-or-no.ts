import { normalizeLabel } from '../routing/label.js';
import type { Choice } from './options.js';

/**
 * The choices that yes and no stand for: those called so, by label before key. Where one has no choice of that name, yes
 * is the first of the others and no the last; no choice is both.
 */
export function yesOrNo(choices: readonly Choice[]): Partial<Record<'yes' | 'no', Choice>> {
  const namedYes = called(choices, 'yes', 'y');
  const namedNo = called(except(choices, namedYes), 'no', 'n');
  const yes = namedYes ?? except(choices, namedNo)[0];
  const no = namedNo ?? except(choices, yes).at(-1);
  return { ...(yes && { yes }), ...(no && { no }) };
}

function called(choices: readonly Choice[], word: string, letter: string): Choice | undefined {
  return (
    choices.find(({ option }) => normalizeLabel(option.label) === word) ??
    choices.find(({ option }) => [word, letter].includes(option.key.toLowerCase()))
  );
}

function except(choices: readonly Choice[], one: Choice | undefined): Choice[] {
  return choices.filter((choice) => choice !== one);
}
