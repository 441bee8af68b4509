import { Environment } from '@huggingface/jinja';
import { type Span } from '../../source/source-text.js';
import { Renderer } from './renderer.js';
import { type TemplateTag } from './tag.js';
import { type Template } from './template.js';
import { TemplateFault, type TemplateText } from './template-text.js';
import { type TemplateWork } from './template-work.js';
import { UndefinedNames } from './undefined-names.js';
import { templateTextOf } from './values.js';

/** What a template may name, and what it may take. */
export interface RenderOptions {
  environment: Environment;
  /** Names about which nothing can be said: they are neither defined nor undefined. */
  unknown: ReadonlySet<string>;
  tags: ReadonlyMap<string, TemplateTag>;
  work: TemplateWork;
}

export interface Rendered {
  /** Absent when it depends on what is unknown, or fails for what is undefined. */
  text?: string;
  /** Where each name stands that nothing defines. */
  undefinedNames: ReadonlyMap<string, Span>;
}

/** Renders a template; what is undefined renders as nothing, and what it sets is its own. Throws {@link TemplateFault}. */
export function render(source: TemplateText, { program }: Template, options: RenderOptions): Rendered {
  const { environment, unknown, tags, work } = options;
  const names = new UndefinedNames(unknown);
  const renderer = new Renderer(tags, names, work);
  const undefinedNames = names.used;
  try {
    const text = templateTextOf(renderer.evaluate(program, new Environment(environment)));
    return names.dependsOnUnknown ? { undefinedNames } : { text, undefinedNames };
  } catch (error) {
    // What is missing is reported by its name; that something cannot go on without it is no news.
    if (!work.isSpent && (names.dependsOnUnknown || undefinedNames.size > 0)) return { undefinedNames };
    throw new TemplateFault(reasonOf(error), renderer.tag?.span ?? source.spanOf(0, source.text.length));
  }
}

/** The end of a sentence. Errors that the interpreter does not throw on purpose say nothing to an author. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply, or makes a text that is too long';
  if (!(error instanceof Error) || error instanceof TypeError || error.message === '') return 'it cannot be evaluated';
  return error.message.charAt(0).toLowerCase() + error.message.slice(1).replace(/\.$/, '');
}
