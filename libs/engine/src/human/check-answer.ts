import type { Question, QuestionAnswer } from '#libs/events';

/** Why a question does not take an answer, as a sentence that says what it takes; undefined when it does. */
export function objectionTo(question: Question, answer: QuestionAnswer): string | undefined {
  if (accepts(question, answer)) return undefined;
  return `This ${question.question_type} question does not take that answer; it takes ${taken(question)}.`;
}

function accepts({ question_type, options = [], allow_freeform }: Question, answer: QuestionAnswer): boolean {
  const isOption = (key: string): boolean => options.some((option) => option.key === key);
  switch (answer.kind) {
    case 'yes':
    case 'no':
      return question_type === 'yes_no' || question_type === 'confirmation';
    case 'selected':
      return question_type === 'multiple_choice' && isOption(answer.option_key);
    case 'multi_selected':
      // Nothing chosen is an answer only where an edge takes what names no option.
      if (answer.option_keys.length === 0 && !allow_freeform) return false;
      return question_type === 'multi_select' && answer.option_keys.every(isOption);
    case 'text':
      return (question_type === 'freeform' || allow_freeform) && answer.text.trim() !== '';
  }
}

function taken({ question_type, options = [], allow_freeform }: Question): string {
  const keys = options.map(({ key }) => JSON.stringify(key)).join(', ') || 'no options';
  const ways: Record<Question['question_type'], string> = {
    yes_no: '{"kind":"yes"} or {"kind":"no"}',
    confirmation: '{"kind":"yes"} or {"kind":"no"}',
    multiple_choice: `{"kind":"selected","option_key":…} with one of ${keys}`,
    multi_select: `{"kind":"multi_selected","option_keys":[…]} with ${allow_freeform ? 'any' : 'at least one'} of ${keys}`,
    freeform: '{"kind":"text","text":…} with a text that is not blank',
  };
  const isExtra = allow_freeform && question_type !== 'freeform';
  return isExtra ? `${ways[question_type]}, or ${ways.freeform}` : ways[question_type];
}
