import type { TextDelta } from '#libs/engine';
import { runKey } from './run-key.js';

const WINDOW_MS = 50;
/** One piece fits one payload, however its characters are written. */
const MAX_PIECE_CHARACTERS = 1_000;
const MAX_GATHERED_CHARACTERS = 64 * 1024;

/**
 * Gathers what models say for a moment, so that many words travel as one piece. What is more than 64 Ki characters in
 * that moment is dropped.
 */
export class DeltaWindow {
  private gathered: TextDelta[] = [];
  private characters = 0;
  private readonly newest = new Map<string, TextDelta>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly pass: (deltas: readonly TextDelta[]) => void) {}

  add(delta: TextDelta): void {
    for (let at = 0; at < delta.text.length;) {
      if (this.characters >= MAX_GATHERED_CHARACTERS) return;
      at += this.take({ ...delta, offset: delta.offset + at, text: delta.text.slice(at, at + MAX_PIECE_CHARACTERS) });
    }
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.gathered = [];
  }

  /** Joins what follows the newest piece of the same answer to it, as much as it can hold; returns how much it took. */
  private take(delta: TextDelta): number {
    const key = `${runKey(delta)}\n${delta.stageId}`;
    const newest = this.newest.get(key);
    const isNext = newest !== undefined && newest.offset + newest.text.length === delta.offset;
    const room = isNext ? MAX_PIECE_CHARACTERS - newest.text.length : 0;
    const text = room > 0 ? delta.text.slice(0, room) : delta.text;
    if (isNext && room > 0) {
      newest.text += text;
    } else {
      this.gathered.push(delta);
      this.newest.set(key, delta);
    }
    this.characters += text.length;
    this.timer ??= setTimeout(() => this.end(), WINDOW_MS);
    return text.length;
  }

  private end(): void {
    const gathered = this.gathered;
    this.gathered = [];
    this.characters = 0;
    this.newest.clear();
    this.timer = undefined;
    this.pass(gathered);
  }
}
