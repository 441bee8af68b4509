import { type CompileEffort } from '../effort.js';
import { compileCondition } from './compile-condition.js';
import { type Condition } from './condition.js';
import { ConditionSyntaxError } from './condition-syntax-error.js';

/**
 * What the patterns of one compilation may take: a unit is a character, and a pattern with a counted repetition makes up
 * to a thousand copies of what it repeats.
 */
const MAX_WORK: Readonly<Record<CompileEffort, number>> = { whole: 256 * 1024, brief: 8 * 1024 };
const REPETITION = 1_000;

/** Reads the conditions of one compilation, each text once. */
export class ConditionReader {
  private readonly known = new Map<string, Condition | ConditionSyntaxError>();
  private left: number;

  constructor(effort: CompileEffort) {
    this.left = MAX_WORK[effort];
  }

  /** Whether there was too much to do: some condition was not read. */
  get isSpent(): boolean {
    return this.left < 0;
  }

  read(text: string): Condition | ConditionSyntaxError {
    let read = this.known.get(text);
    if (!read) {
      read = this.compiled(text);
      this.known.set(text, read);
    }
    return read;
  }

  private compiled(text: string): Condition | ConditionSyntaxError {
    try {
      return compileCondition(text, (pattern, at) => this.spend(pattern, at));
    } catch (thrown) {
      if (thrown instanceof ConditionSyntaxError) return thrown;
      throw thrown;
    }
  }

  private spend(pattern: string, at: number): void {
    this.left -= pattern.length + (pattern.includes('{') ? REPETITION : 0);
    if (!this.isSpent) return;
    throw new ConditionSyntaxError(
      'the patterns of this workflow take too much work; write fewer, or shorter ones',
      at,
    );
  }
}
