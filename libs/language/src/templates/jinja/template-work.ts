import { type CompileEffort } from '../../effort.js';

/**
 * What rendering may take in one compilation, beside a share for what is read: a unit is a character that is made or
 * looked at, and a step counts as many. As much as one processor does in less than a tenth of a second, or in a few
 * milliseconds.
 */
const MAX_WORK: Readonly<Record<CompileEffort, number>> = { whole: 8 * 1024 * 1024, brief: 512 * 1024 };
const SHARE_OF_TEXT = 2;
const SHARE_OF_TAGS = 128;

/** The templates of one compilation are rendered out of one budget: a loop in a short text could go on for years. */
export class TemplateWork {
  constructor(private left: number) {}

  static of(effort: CompileEffort): TemplateWork {
    return new TemplateWork(MAX_WORK[effort]);
  }

  /** A text that is read may at least be rendered. `inTags` is how much of it stands in tags, which are evaluated. */
  grant(length: number, inTags: number): void {
    this.left += SHARE_OF_TEXT * length + SHARE_OF_TAGS * inTags;
  }

  /** Whether there was too much to do; from then on there is. */
  get isSpent(): boolean {
    // Written so that it holds for a budget that is no number, too.
    return !(this.left >= 0);
  }

  spend(units: number): void {
    this.left -= units;
    if (this.isSpent) throw new Error('the templates of this workflow take too much work');
  }
}
