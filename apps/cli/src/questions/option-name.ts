import type { Question } from './open-questions.js';

/** What an option is called, without the key in front that its label may propose: `[A] Approve` is `Approve`. */
export function optionName({ key, label }: Question['options'][number]): string {
  const text = label.trim();
  const prefix = [`[${key}] `, `${key}) `, `${key} - `].find((written) => text.startsWith(written));
  return prefix === undefined ? text : text.slice(prefix.length).trim();
}
