import type { Question, QuestionAnswer } from '#libs/events';
import type { Edge, HumanNode } from '#libs/language';
import type { Outcome } from '../stage/outcome.js';
import { answerText } from './answer-text.js';
import { gateContext } from './gate-context.js';
import { freeformEdge, openChoicesOf, type GateChoice, type IsOpen } from './options.js';
import { wayTo } from './way-to.js';
import { yesOrNo } from './yes-or-no.js';

interface Answered {
  node: HumanNode;
  /** The edges that leave the node, in order. */
  edges: readonly Edge[];
  question: Question;
  answer: QuestionAnswer;
}

/**
 * What an answer means: which way on it prefers, and what later stages may know of it. An answer that names no option
 * is words, for the edge that takes them. Without one, a text goes on with no preference, and anything else fails: it is
 * never taken for an option nobody named.
 */
export function outcomeOf(answered: Answered): Outcome {
  const { edges, question, answer } = answered;
  const isOffered: IsOpen = (_, { key }) => question.options?.some((option) => option.key === key) ?? false;
  const chosen = chosenBy(answer, openChoicesOf(edges, isOffered));
  if (chosen.length > 0) return selecting(answered, chosen);
  const freeform = question.allow_freeform ? freeformEdge(edges) : undefined;
  if (freeform || answer.kind === 'text') return writing(answered, freeform);
  return unknown(answered);
}

/** The choices that an answer names, in the order of the options. */
function chosenBy(answer: QuestionAnswer, choices: readonly GateChoice[]): GateChoice[] {
  switch (answer.kind) {
    case 'selected':
      return choices.filter(({ option }) => option.key === answer.option_key);
    case 'multi_selected':
      return choices.filter(({ option }) => answer.option_keys.includes(option.key));
    case 'text':
      return choices.filter(isCalled(answer.text)).slice(0, 1);
    case 'yes':
    case 'no': {
      const choice = yesOrNo(choices)[answer.kind];
      return choice ? [choice] : [];
    }
  }
}

/** A text may name an option by its key or by its whole label, in any case. */
function isCalled(text: string): (choice: GateChoice) => boolean {
  const wanted = text.trim().toLowerCase();
  return ({ option }) => option.key.toLowerCase() === wanted || option.label.trim().toLowerCase() === wanted;
}

/** Of several options the first leads the way; later stages know them all. */
function selecting({ node, edges, question, answer }: Answered, chosen: readonly GateChoice[]): Outcome {
  const selected = chosen.map(({ option }) => option.key).join(',');
  const label = chosen.map(({ option }) => option.label).join(', ');
  return {
    status: 'succeeded',
    ...wayTo(chosen[0]!, edges),
    contextUpdates: gateContext(node, question, { selected, label, answer: answerText(question, answer) }),
  };
}

function writing({ node, question, answer }: Answered, edge: Edge | undefined): Outcome {
  const text = answerText(question, answer);
  return {
    status: 'succeeded',
    ...(edge && { suggestedNextIds: [edge.to] }),
    contextUpdates: {
      ...gateContext(node, question, { selected: 'freeform', label: text, answer: text }),
      'human.gate.text': text,
    },
  };
}

function unknown({ node, question, answer }: Answered): Outcome {
  const text = answerText(question, answer);
  const contextUpdates = gateContext(node, question, { selected: '', label: '', answer: text });
  const message = `The answer ${JSON.stringify(text)} names no option of the human gate.`;
  return { status: 'failed', failure: { message, category: 'deterministic' }, contextUpdates };
}
