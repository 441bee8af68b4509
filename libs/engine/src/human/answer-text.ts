import type { Question, QuestionAnswer } from '#libs/events';

/** An answer as people read it: labels of options, words. */
export function answerText({ options = [] }: Question, answer: QuestionAnswer): string {
  const labelOf = (key: string): string => options.find((option) => option.key === key)?.label ?? key;
  switch (answer.kind) {
    case 'yes':
    case 'no':
      return answer.kind;
    case 'selected':
      return labelOf(answer.option_key);
    case 'multi_selected':
      return answer.option_keys.map(labelOf).join(', ');
    case 'text':
      return answer.text;
  }
}
