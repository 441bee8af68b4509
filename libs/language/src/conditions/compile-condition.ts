import { messageOf } from '#libs/kernel';
import { RE2JS } from 're2js';
import { ConditionSyntaxError } from './condition-syntax-error.js';
import { type Clause, type Condition, type Test } from './condition.js';
import { readNumber } from './numbers.js';
import { tokenize, type ConditionToken } from './tokenize.js';

/**
 * Compiles the text of a condition: alternatives joined by `||`, clauses joined by `&&`, each with any number of `!`
 * before it. Throws a {@link ConditionSyntaxError} for the first problem, and nothing else but what `beforePattern`
 * throws, which is told every pattern before it is compiled, and where it stands.
 */
export function compileCondition(text: string, beforePattern: BeforePattern = () => undefined): Condition {
  return { text, anyOf: new Reader(text, tokenize(text), beforePattern).alternatives() };
}

type BeforePattern = (pattern: string, at: number) => void;

class Reader {
  private next = 0;

  constructor(
    private readonly text: string,
    private readonly tokens: readonly ConditionToken[],
    private readonly beforePattern: BeforePattern,
  ) {}

  alternatives(): Clause[][] {
    if (this.tokens.length === 0) return [];
    const alternatives = [this.conjunction()];
    while (this.takeOperator('||')) alternatives.push(this.conjunction());
    if (this.peek()) throw this.expected('&& or || after a finished clause (a value with spaces needs quotes)');
    return alternatives;
  }

  private conjunction(): Clause[] {
    const clauses = [this.clause()];
    while (this.takeOperator('&&')) clauses.push(this.clause());
    return clauses;
  }

  private clause(): Clause {
    let negated = false;
    while (this.takeOperator('!')) negated = !negated;
    const key = this.takeWord();
    if (!key) throw this.expected('a key');
    return { key: key.text, negated, test: this.test() };
  }

  private test(): Test {
    const operator = this.peek();
    if (operator?.type !== 'operator' || CONNECTIVES.has(operator.text)) return { is: 'truthy' };
    this.next++;
    const value = this.value(operator.text);
    if (operator.text === 'matches') this.beforePattern(value.value, value.at);
    return testOf(operator.text, value);
  }

  private value(operator: string): ConditionToken {
    const word = this.takeWord();
    if (word) return word;
    const mayBeEmpty = operator === '=' || operator === '!=';
    if (mayBeEmpty && !this.peek()) return { type: 'word', text: '', value: '', at: this.text.length };
    const next = this.peek();
    if (operator === '=' && next?.text === '=')
      throw new ConditionSyntaxError('equality is written with one "="', next.at);
    throw this.expected(`a value after "${operator}"`);
  }

  private expected(what: string): ConditionSyntaxError {
    const found = this.peek();
    const there = found ? `found "${clip(found.text)}"` : 'the condition ends';
    return new ConditionSyntaxError(`expected ${what}, but ${there}`, found?.at ?? this.text.length);
  }

  private peek(): ConditionToken | undefined {
    return this.tokens[this.next];
  }

  private takeWord(): ConditionToken | undefined {
    return this.peek()?.type === 'word' ? this.tokens[this.next++] : undefined;
  }

  private takeOperator(text: string): boolean {
    const token = this.peek();
    if (token?.type !== 'operator' || token.text !== text) return false;
    this.next++;
    return true;
  }
}

const CONNECTIVES: ReadonlySet<string> = new Set(['&&', '||', '!']);

function testOf(operator: string, { value: text, at }: ConditionToken): Test {
  switch (operator) {
    case '=':
      return { is: 'equal', text };
    case '!=':
      return { is: 'different', text };
    case '>':
      return { is: 'greater', bound: readNumber(text) };
    case '<':
      return { is: 'less', bound: readNumber(text) };
    case '>=':
      return { is: 'at least', bound: readNumber(text) };
    case '<=':
      return { is: 'at most', bound: readNumber(text) };
    case 'contains':
      return { is: 'containing', text };
    default:
      return { is: 'matching', pattern: compilePattern(text, at) };
  }
}

function compilePattern(text: string, at: number): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (thrown) {
    throw new ConditionSyntaxError(`"${clip(text)}" is no RE2 regular expression: ${messageOf(thrown)}`, at);
  }
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
