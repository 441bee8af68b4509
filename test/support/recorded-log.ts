/** A log that a spec can read. */
export class RecordedLog {
  readonly lines: { fields: Record<string, unknown>; sentence: string }[] = [];

  warn(fields: Record<string, unknown>, sentence: string): void {
    this.lines.push({ fields, sentence });
  }

  get sentences(): string[] {
    return this.lines.map(({ sentence }) => sentence);
  }
}
