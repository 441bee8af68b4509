import { type Finding } from './diagnostics/finding.js';
import { type Span } from './source/source-text.js';
import { Sources } from './source/sources.js';
import { InputsRead } from './templates/inputs-read.js';
import { TemplateWork } from './templates/jinja/template-work.js';

/**
 * Some things are written once and copied to many places: defaults, imported nodes, inlined files. A short source could
 * describe a graph of gigabytes; one compilation may copy this many UTF-16 code units.
 */
export const MAX_COPIED_TEXT = 32 * 1024 * 1024;

/** What the steps of one compilation share. */
export class CompileState {
  readonly sources: Sources;
  readonly templateWork: TemplateWork;
  /** A child workflow has no inputs, so what it reads is its own. */
  readonly inputs = new InputsRead();
  private readonly findings = new Map<string, Finding[]>();
  private readonly copied: { text: number; outgrownAt?: Span };

  /** A child workflow is compiled within its parent: it has findings of its own, and shares texts and limits. */
  constructor(private readonly parent?: CompileState) {
    this.sources = parent?.sources ?? new Sources();
    this.templateWork = parent?.templateWork ?? new TemplateWork();
    this.copied = parent?.copied ?? { text: 0 };
  }

  /** The state of a child workflow: what concerns the whole compilation is for the outermost to report. */
  get isNested(): boolean {
    return this.parent !== undefined;
  }

  /** Where copying outgrew its limit; from there on nothing was copied. */
  get outgrownAt(): Span | undefined {
    return this.copied.outgrownAt;
  }

  /** Takes note of a copy and says whether it may be made. */
  mayCopy(size: number, at: Span): boolean {
    this.copied.text += size;
    if (this.copied.text > MAX_COPIED_TEXT) this.copied.outgrownAt ??= at;
    return this.copied.outgrownAt === undefined;
  }

  /** Keeps what a step objects to, for the rule that reports it. */
  find(rule: string, finding: Finding): void {
    const found = this.findings.get(rule);
    if (found) found.push(finding);
    else this.findings.set(rule, [finding]);
  }

  found(rule: string): readonly Finding[] {
    return this.findings.get(rule) ?? [];
  }
}
