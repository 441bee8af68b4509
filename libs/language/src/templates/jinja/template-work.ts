/**
 * What rendering may take in one compilation, beside a share for each text that is read: a unit is a character that is
 * made or looked at, and a step counts as many.
 */
const MAX_WORK = 64 * 1024 * 1024;
const SHARE_OF_TEXT = 128;

/** The templates of one compilation are rendered out of one budget: a loop in a short text could go on for years. */
export class TemplateWork {
  constructor(private left = MAX_WORK) {}

  /** A text that is read may at least be rendered. */
  grant(length: number): void {
    this.left += SHARE_OF_TEXT * length;
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
