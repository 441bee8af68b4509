import { type Span } from '../../source/source-text.js';

/** A text that is read as a template: where it is written, and so what its includes are relative to. */
export class TemplateText {
  constructor(
    readonly text: string,
    /** The file it stands in; `undefined` for a source that no file holds. */
    readonly path: string | undefined,
    /** Where a part of it is written. */
    readonly spanOf: (from: number, to: number) => Span,
  ) {}

  fault(message: string, { from, to }: { from: number; to: number }): TemplateFault {
    return new TemplateFault(message, this.spanOf(from, to));
  }
}

/** What keeps a template from being rendered: the end of a sentence, and the place it is about. */
export class TemplateFault extends Error {
  constructor(
    message: string,
    readonly span: Span,
  ) {
    super(message);
  }
}

const OPENINGS = ['{{', '{%', '{#'];

/** Whether rendering could change a text. */
export function isTemplate(text: string): boolean {
  return text.includes('{') && OPENINGS.some((opening) => text.includes(opening));
}
