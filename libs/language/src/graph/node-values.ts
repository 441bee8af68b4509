import {
  type Direction,
  type QuestionType,
  type RetryPolicyName,
  type ScriptLanguage,
  type Selection,
} from './graph.js';

export const RETRY_POLICIES: readonly RetryPolicyName[] = ['none', 'standard', 'aggressive', 'linear', 'patient'];
export const SELECTIONS: readonly Selection[] = ['deterministic', 'random'];
export const SCRIPT_LANGUAGES: readonly ScriptLanguage[] = ['shell', 'python'];
export const QUESTION_TYPES: readonly QuestionType[] = [
  'yes_no',
  'confirmation',
  'multiple_choice',
  'multi_select',
  'freeform',
];
export const DIRECTIONS: readonly Direction[] = ['LR', 'RL', 'TB', 'BT'];
