import type { Question } from '#libs/events';
import type { Json } from '#libs/kernel';
import type { HumanNode } from '#libs/language';

/** How a gate was left. What nobody chose is empty, so that no earlier gate's choice passes for this one's. */
interface Gist {
  /** Keys of the chosen options, or `freeform`. */
  selected: string;
  label: string;
  answer: string;
}

/** What later stages may know: of the gate that was left last, and of each gate by its name. */
export function gateContext(
  { id }: HumanNode,
  { question }: Question,
  { selected, label, answer }: Gist,
): Record<string, Json> {
  return {
    'human.gate.selected': selected,
    'human.gate.label': label,
    [`human.gate.${id}.question`]: question,
    [`human.gate.${id}.answer`]: answer,
    [`human.gate.${id}.label`]: label,
  };
}
