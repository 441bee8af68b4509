import { assertNever } from '#libs/kernel';
import type { GivenAnswer, Question } from './open-questions.js';
import { optionName } from './option-name.js';

type Options = Question['options'];

const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** What a person means who types this; undefined when the question cannot be answered with it. */
export function readAnswer(question: Question, typed: string): GivenAnswer | undefined {
  const text = typed.trim();
  return readChoice(question, text) ?? readFreeText(question, text);
}

/** What can be typed, for the end of a sentence: `A or B`, `any text`. */
export function waysToAnswer({
  question_type,
  options,
  allow_freeform,
}: Pick<Question, 'question_type' | 'options' | 'allow_freeform'>): string {
  const keys = options.map(({ key }) => key);
  const ways: Record<Question['question_type'], string> = {
    yes_no: 'yes or no',
    confirmation: 'yes or no',
    multiple_choice: either.format(keys),
    multi_select: `any of ${keys.join(', ')}, with commas between them`,
    freeform: 'any text',
  };
  return allow_freeform && question_type !== 'freeform' ? `${ways[question_type]}, or any text` : ways[question_type];
}

/** What a word chooses: an option, or yes or no. */
export function readChoice({ question_type, options }: Question, text: string): GivenAnswer | undefined {
  switch (question_type) {
    case 'yes_no':
    case 'confirmation':
      return yesOrNo(text.toLowerCase());
    case 'multiple_choice': {
      const key = keyOf(options, text);
      return key === undefined ? undefined : { kind: 'selected', option_key: key };
    }
    case 'multi_select': {
      const keys = text.split(',').map((part) => keyOf(options, part.trim()));
      return keys.every((key) => key !== undefined)
        ? { kind: 'multi_selected', option_keys: [...new Set(keys)] }
        : undefined;
    }
    case 'freeform':
      return undefined;
    default:
      return assertNever(question_type);
  }
}

/** A text as an answer; undefined when the question takes none, or the text is empty. */
export function readFreeText({ question_type, allow_freeform }: Question, text: string): GivenAnswer | undefined {
  const isTaken = (question_type === 'freeform' || allow_freeform) && text !== '';
  return isTaken ? { kind: 'text', text } : undefined;
}

function yesOrNo(text: string): GivenAnswer | undefined {
  if (text === 'y' || text === 'yes') return { kind: 'yes' };
  return text === 'n' || text === 'no' ? { kind: 'no' } : undefined;
}

/** An option by its key, else the only one whose key, name or label is this in any case. */
function keyOf(options: Options, text: string): string | undefined {
  if (options.some(({ key }) => key === text)) return text;
  const wanted = text.toLowerCase();
  const [only, ...others] = options.filter((option) =>
    [option.key, option.label.trim(), optionName(option)].some((name) => name.toLowerCase() === wanted),
  );
  return others.length === 0 ? only?.key : undefined;
}
