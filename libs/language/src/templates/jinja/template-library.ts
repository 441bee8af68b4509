import { type Bundle } from '../../bundle/bundle.js';
import { quote } from '../../diagnostics/wording.js';
import { type SourceText } from '../../source/source-text.js';
import { type InputsRead } from '../inputs-read.js';
import { type TemplateTag } from './tag.js';
import { type TemplateWork } from './template-work.js';
import { readTemplate, type Include, type Template } from './template.js';
import { TemplateFault, TemplateText } from './template-text.js';

/** Deeper than any template is nested, shallower than any stack. */
const MAX_DEPTH = 32;

/** Reads templates with what they include. Each file is read once. */
export class TemplateLibrary {
  /** Every tag that was read, under the name that trees know it by. */
  readonly tags = new Map<string, TemplateTag>();
  private readonly files = new Map<string, Template | TemplateFault>();

  constructor(
    private readonly bundle: Bundle,
    private readonly work: TemplateWork,
    private readonly inputs: InputsRead,
  ) {}

  /** Throws a {@link TemplateFault}, also for what is wrong with a file it includes. */
  read(text: TemplateText): Template {
    return this.readIn(text, text.path === undefined ? [] : [text.path]);
  }

  /** `chain` are the files that are being read, the outermost first. */
  private readIn(text: TemplateText, chain: readonly string[]): Template {
    const template = readTemplate(text, this.tags);
    let inTags = 0;
    for (const tag of template.tags) {
      this.inputs.addFrom(tag);
      inTags += tag.to - tag.from;
    }
    this.work.grant(text.text.length, inTags);
    for (const include of template.includes) include.tag.included = this.included(text, include, chain).program;
    return template;
  }

  private included(text: TemplateText, { path: written }: Include, chain: readonly string[]): Template {
    const found = this.bundle.resolve(written.value, text.path);
    if ('problem' in found) throw text.fault(`it includes ${quote(written.value)}, ${found.problem}`, written);
    const { path, file } = found;
    const circle = chain.indexOf(path);
    if (circle !== -1) {
      const files = [...chain.slice(circle), path].join(' -> ');
      throw text.fault(`its includes form a circle: ${files}`, written);
    }
    if (chain.length > MAX_DEPTH) throw text.fault('its includes are nested too deeply', written);
    const known = this.files.get(path) ?? this.readFile(path, file, chain);
    this.files.set(path, known);
    if (known instanceof TemplateFault) throw known;
    return known;
  }

  private readFile(path: string, file: SourceText, chain: readonly string[]): Template | TemplateFault {
    const spanOf = (from: number, to: number) => ({ start: file.base + from, end: file.base + Math.max(to, from + 1) });
    try {
      return this.readIn(new TemplateText(file.text, path, spanOf), [...chain, path]);
    } catch (error) {
      if (error instanceof TemplateFault) return error;
      throw error;
    }
  }
}
