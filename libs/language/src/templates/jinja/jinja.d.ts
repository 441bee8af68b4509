/**
 * What is used of the parser and the interpreter. The package has types, but imports them without file extensions, which
 * only bundlers can follow.
 */
declare module '@huggingface/jinja' {
  export interface Token {
    readonly value: string;
    readonly type: TokenType;
  }

  export type TokenType =
    | 'Text'
    | 'Comment'
    | 'NumericLiteral'
    | 'StringLiteral'
    | 'Identifier'
    | 'Equals'
    | 'OpenParen'
    | 'CloseParen'
    | 'OpenStatement'
    | 'CloseStatement'
    | 'OpenExpression'
    | 'CloseExpression'
    | 'OpenSquareBracket'
    | 'CloseSquareBracket'
    | 'OpenCurlyBracket'
    | 'CloseCurlyBracket'
    | 'Comma'
    | 'Dot'
    | 'Colon'
    | 'Pipe'
    | 'AdditiveBinaryOperator'
    | 'MultiplicativeBinaryOperator'
    | 'ExponentiationBinaryOperator'
    | 'ComparisonBinaryOperator';

  export interface Program {
    type: 'Program';
    body: Node[];
  }

  export type Node =
    | Program
    | { type: 'Comment'; value: string }
    | Identifier
    | { type: 'StringLiteral'; value: string }
    | { type: 'IntegerLiteral' | 'FloatLiteral'; value: number }
    | { type: 'ArrayLiteral' | 'TupleLiteral'; value: Node[] }
    | { type: 'ObjectLiteral'; value: Map<Node, Node> }
    | Member
    | Call
    | { type: 'KeywordArgumentExpression'; key: Identifier; value: Node }
    | { type: 'FilterExpression'; operand: Node; filter: Identifier | Call }
    | { type: 'FilterStatement'; filter: Identifier | Call; body: Node[] }
    | Binary
    | Unary
    | For
    | { type: 'SelectExpression'; lhs: Node; test: Node }
    | Assignment
    | { type: 'Macro' | 'CallStatement' | 'SliceExpression' | 'SpreadExpression' | 'KeywordSpreadExpression' }
    | Resolved;

  export interface Identifier {
    type: 'Identifier';
    value: string;
  }

  export interface Member {
    type: 'MemberExpression';
    object: Node;
    property: Node;
    computed: boolean;
  }

  export interface Call {
    type: 'CallExpression';
    callee: Node;
    args: Node[];
  }

  export interface Binary {
    type: 'BinaryExpression';
    operator: Token;
    left: Node;
    right: Node;
  }

  export interface Unary {
    type: 'UnaryExpression';
    operator: Token;
    argument: Node;
  }

  export interface For {
    type: 'For';
    iterable: Node;
  }

  export interface Assignment {
    type: 'Set';
    assignee: Node;
    /** Absent from a block, whose text is the value. */
    value: Node | null;
  }

  /** An operand that is evaluated already. No parser makes it: an interpreter that knows it puts it into a tree. */
  export interface Resolved {
    type: 'Resolved';
    value: Value;
  }

  export interface Value {
    readonly type: string;
    /** `undefined` also for none. */
    readonly value: string | number | boolean | undefined | Value[] | Map<string, Value> | (() => unknown);
    /** Whether it is true, as in Python. */
    __bool__(): { value: boolean };
    toString(): string;
  }

  /** What names stand for, here and around. */
  export class Environment {
    readonly parent?: Environment;
    readonly variables: ReadonlyMap<string, Value>;
    /** What `is …` asks, by name. */
    static readonly TESTS: ReadonlyMap<string, (value: Value) => boolean>;
    constructor(parent?: Environment);
    /** Defines a name by a value of the host. */
    set(name: string, value: unknown): Value;
  }

  export class Interpreter {
    readonly global: Environment;
    evaluate(node: Node | undefined, environment: Environment): Value;
  }

  /** Throws errors of many kinds. */
  export function parse(tokens: readonly Token[]): Program;
}
