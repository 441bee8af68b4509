import type { Question, QuestionAnswer } from '#libs/events';
import type { Json } from '#libs/kernel';
import type { Edge, HumanNode } from '#libs/language';
import type { Outcome } from '../stage/outcome.js';
import { answerText } from './answer-text.js';
import { choicesOf, freeformEdge, type Choice } from './options.js';

interface Answered {
  node: HumanNode;
  edges: readonly Edge[];
  question: Question;
  answer: QuestionAnswer;
}

/** What an answer means: which way on it prefers, and what later stages may know of it. */
export function outcomeOf({ node, edges, question, answer }: Answered): Outcome {
  const choices = choicesOf(edges);
  const chosen = chosenBy(answer, choices);
  const freeform = freeformEdge(edges);
  if (chosen.length > 0) return selecting(node, question, answer, chosen);
  if (freeform && answer.kind === 'text') return writing(node, question, answer.text, freeform);
  // Several may have been offered and none chosen; a gate goes on all the same, without a wish.
  return { status: 'succeeded', contextUpdates: told(node, question, answerText(question, answer), '') };
}

/** The choices that an answer names; a text may name one by its key or its label, in any case. */
function chosenBy(answer: QuestionAnswer, choices: readonly Choice[]): Choice[] {
  switch (answer.kind) {
    case 'selected':
      return choices.filter(({ option }) => option.key === answer.option_key);
    case 'multi_selected':
      return choices.filter(({ option }) => answer.option_keys.includes(option.key));
    case 'text':
      return choices.filter(isCalled(answer.text.trim())).slice(0, 1);
    case 'yes':
      return (named(choices, 'y', 'yes') ?? choices.slice(0, 1)).slice(0, 1);
    case 'no':
      return (named(choices, 'n', 'no') ?? choices.slice(1, 2)).slice(0, 1);
  }
}

function named(choices: readonly Choice[], ...names: string[]): Choice[] | undefined {
  const found = choices.filter((choice) => names.some((name) => isCalled(name)(choice)));
  return found.length > 0 ? found : undefined;
}

function isCalled(text: string): (choice: Choice) => boolean {
  const wanted = text.toLowerCase();
  return ({ option }) => option.key.toLowerCase() === wanted || option.label.trim().toLowerCase() === wanted;
}

function selecting(node: HumanNode, question: Question, answer: QuestionAnswer, chosen: readonly Choice[]): Outcome {
  const keys = chosen.map(({ option }) => option.key).join(',');
  const labels = chosen.map(({ option }) => option.label).join(', ');
  const [first] = chosen;
  return {
    status: 'succeeded',
    preferredLabel: first!.option.label,
    suggestedNextIds: [first!.edge.to],
    contextUpdates: {
      'human.gate.selected': keys,
      'human.gate.label': labels,
      ...told(node, question, answerText(question, answer), labels),
    },
  };
}

function writing(node: HumanNode, question: Question, text: string, edge: Edge): Outcome {
  return {
    status: 'succeeded',
    suggestedNextIds: [edge.to],
    contextUpdates: {
      'human.gate.selected': 'freeform',
      'human.gate.label': text,
      'human.gate.text': text,
      ...told(node, question, text, text),
    },
  };
}

export function told({ id }: HumanNode, { question }: Question, answer: string, label: string): Record<string, Json> {
  return {
    [`human.gate.${id}.question`]: question,
    [`human.gate.${id}.answer`]: answer,
    [`human.gate.${id}.label`]: label,
  };
}
