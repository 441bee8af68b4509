/** A template that renders to a text, whatever is in it; a text that is no template stays as it is. */
export function asTemplate(text: string): string {
  return withOutputs(text, /\{(?=[{%#])/g);
}

/** The same for a goal, which may begin with `@` without being a reference to a file. */
export function asGoal(text: string): string {
  return withOutputs(text, /\{(?=[{%#])|(?<=^\s*)@/g);
}

/** Rendering takes away the newline at the end of a template. */
function withOutputs(text: string, signs: RegExp): string {
  const template = text.replace(signs, `{{ '$&' }}`);
  return template !== text && text.endsWith('\n') ? `${template}\n` : template;
}
