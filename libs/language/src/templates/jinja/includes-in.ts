import { readTemplate } from './template.js';
import { isTemplate, TemplateFault, TemplateText } from './template-text.js';

/** A file that a template includes, and the offset at which it says so. */
export interface IncludedFile {
  path: string;
  offset: number;
}

/** The files that a text includes when it is rendered as a template. A text that is none includes nothing. */
export function includesIn(text: string): IncludedFile[] {
  if (!isTemplate(text)) return [];
  try {
    const template = new TemplateText(text, undefined, (start, end) => ({ start, end }));
    const { includes } = readTemplate(template, new Map());
    return includes.map(({ path }) => ({ path: path.value, offset: path.from }));
  } catch (error) {
    if (error instanceof TemplateFault) return [];
    throw error;
  }
}
