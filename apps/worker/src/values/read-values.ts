import type { Outcome, Walk } from '#libs/engine';
import { isReference, type KeptMarks } from '#libs/events';
import type { Json } from '#libs/kernel';
import { TOO_LARGE, type KeptValues } from './kept-values.js';
import { MAX_TOGETHER_BYTES } from './put-together.js';

/**
 * The texts of kept values that the walk itself reads: in conditions, as lists of branches, for gates. It decides without
 * waiting, so they are at hand before. Together they are bounded; one for which there is no room is left out, and what
 * needs it ends by name.
 */
export class ReadValues {
  private bytes = 0;

  constructor(
    private readonly walk: Walk,
    private readonly kept: KeptValues,
  ) {}

  /** Reads what the contexts of the run hold. */
  async all(): Promise<void> {
    for (const { context, kept } of Object.values(this.walk.state.cursors)) await this.read(context, kept);
  }

  /** Reads what a stage wrote, before its way on is chosen. */
  async of({ contextUpdates = {}, kept = {} }: Outcome): Promise<void> {
    await this.read(contextUpdates, kept);
  }

  private async read(values: Readonly<Record<string, Json>>, marks: KeptMarks): Promise<void> {
    for (const reference of this.references(values, marks)) {
      if (!this.walk.resolved.has(reference)) await this.add(reference);
    }
  }

  private *references(values: Readonly<Record<string, Json>>, marks: KeptMarks): Iterable<string> {
    for (const key of this.walk.definition.keysRead) {
      const value = Object.hasOwn(values, key) ? values[key] : undefined;
      if (isReference(value, Object.hasOwn(marks, key) ? marks[key] : undefined)) yield value;
    }
  }

  private async add(reference: string): Promise<void> {
    let text = await this.kept.text(reference, MAX_TOGETHER_BYTES - this.bytes);
    if (text === TOO_LARGE && this.forgetOld()) text = await this.kept.text(reference, MAX_TOGETHER_BYTES - this.bytes);
    if (text === TOO_LARGE) return;
    // What is gone is read as its reference.
    this.walk.resolved.set(reference, text ?? reference);
    this.bytes += Buffer.byteLength(text ?? '');
  }

  /** Makes room: no context holds these any more. False where there are none. */
  private forgetOld(): boolean {
    const { resolved, state } = this.walk;
    const cursors = Object.values(state.cursors);
    const current = new Set(cursors.flatMap(({ context, kept }) => [...this.references(context, kept)]));
    const old = [...resolved].filter(([reference]) => !current.has(reference));
    for (const [reference, text] of old) {
      resolved.delete(reference);
      if (text !== reference) this.bytes -= Buffer.byteLength(text);
    }
    return old.length > 0;
  }
}
