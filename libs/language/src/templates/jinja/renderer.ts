import {
  Environment,
  Interpreter,
  type Assignment,
  type Binary,
  type Call,
  type For,
  type Identifier,
  type Member,
  type Node,
  type Resolved,
  type Unary,
  type Value,
} from '@huggingface/jinja';
import { quote } from '../../diagnostics/wording.js';
import { Arguments } from './arguments.js';
import { type Spend } from './filter.js';
import { filters } from './filters.js';
import { methods } from './methods.js';
import { operate } from './operators.js';
import { Sizes } from './sizes.js';
import { type TemplateTag } from './tag.js';
import { type TemplateWork } from './template-work.js';
import { OUTPUT, SCOPE } from './parser-tokens.js';
import { type UndefinedNames } from './undefined-names.js';
import { isUndefined, itemsOf, lengthOf, memberOf, templateTextOf, wrap, wrapList } from './values.js';

/** What it counts as to evaluate one part of a tree, to go round in a loop, and to look through a character of a body. */
const STEP = 64;
const TURN = 512;
const LOOK = 64;
/** Deeper than anybody nests, shallower than any stack. */
const MAX_DEPTH = 256;

/**
 * Evaluates a template within bounds: everything is paid for, at the latest when it is there, and before it is made
 * where it can be much larger than what it is made from. So filters, methods and most operators are this language's
 * own; the interpreter it extends knows the statements and the arithmetic.
 */
export class Renderer extends Interpreter {
  /** The tag that is being evaluated. */
  tag: TemplateTag | undefined;
  private depth = 0;
  private readonly sizes = new Sizes();
  private readonly spend: Spend = (units) => this.work.spend(units);

  constructor(
    private readonly tags: ReadonlyMap<string, TemplateTag>,
    private readonly names: UndefinedNames,
    private readonly work: TemplateWork,
  ) {
    super();
  }

  override evaluate(node: Node | undefined, environment: Environment): Value {
    if (!node) return wrap(undefined);
    if (node.type === 'Resolved') return node.value;
    this.spend(STEP);
    if (this.depth === MAX_DEPTH) throw new Error('it is nested too deeply');
    this.depth++;
    try {
      return this.evaluated(node, environment);
    } finally {
      this.depth--;
    }
  }

  private evaluated(node: Node, environment: Environment): Value {
    switch (node.type) {
      case 'Comment':
        return this.enter(this.tags.get(node.value)!, environment);
      case 'Identifier':
        return this.lookUp(node.value, environment);
      case 'MemberExpression':
        return this.member(node, environment);
      case 'CallExpression':
        return this.paid(this.called(node, environment));
      case 'FilterExpression':
        return this.paid(this.filtered(this.evaluate(node.operand, environment), node.filter, environment));
      case 'FilterStatement': {
        const body: Node = { type: 'Program', body: node.body };
        if (node.filter.type === 'Identifier' && node.filter.value === SCOPE) {
          return this.paid(this.evaluate(body, new Environment(environment)));
        }
        return this.paid(this.filtered(this.evaluate(body, environment), node.filter, environment));
      }
      case 'BinaryExpression':
        return this.paid(this.binary(node, environment));
      case 'UnaryExpression':
        return this.unary(node, environment);
      case 'For':
        return this.paid(this.loop(node, environment));
      case 'Set':
        return this.assigned(node, environment);
      case 'ArrayLiteral':
      case 'TupleLiteral':
      case 'ObjectLiteral':
        return this.paid(this.collected(node, environment));
      case 'Macro':
      case 'CallStatement':
        // Both look through the whole of their body for special names.
        this.spend(LOOK * (this.tag?.within.text.length ?? 0));
        return this.paid(super.evaluate(node, environment));
      default:
        return this.paid(super.evaluate(node, environment));
    }
  }

  private paid(value: Value): Value {
    this.spend(this.sizes.of(value));
    return value;
  }

  /** Sets of what is included stay in it. */
  private enter(tag: TemplateTag, environment: Environment): Value {
    this.tag = tag;
    if (!tag.included) return wrap(null);
    const text = this.evaluate(tag.included, new Environment(environment));
    this.tag = tag;
    return text;
  }

  private lookUp(name: string, environment: Environment): Value {
    for (let scope: Environment | undefined = environment; scope; scope = scope.parent) {
      const value = scope.variables.get(name);
      if (value) return value;
    }
    return this.names.undefined([name]);
  }

  /** A member of what is undefined is undefined under the same name. */
  private member(node: Member, environment: Environment): Value {
    const object = this.evaluate(node.object, environment);
    if (isUndefined(object)) return object;
    if (node.property.type === 'SliceExpression') {
      this.paid(object);
      return this.paid(super.evaluate({ ...node, object: resolved(object) }, environment));
    }
    const key = node.computed ? this.evaluate(node.property, environment) : wrap((node.property as Identifier).value);
    if (this.names.use(key, this.tag)) return wrap(undefined);
    return memberOf(object, key.value) ?? this.names.undefined([...partsOf(node.object), templateTextOf(key)]);
  }

  private called(call: Call, environment: Environment): Value {
    const callee = call.callee;
    if (callee.type === 'MemberExpression' && !callee.computed) {
      const { value: name } = callee.property as Identifier;
      return this.applied('method', name, this.evaluate(callee.object, environment), call.args, environment);
    }
    const called = this.evaluate(call.callee, environment);
    if (this.names.use(called, this.tag)) return wrap(undefined);
    const { tag } = this;
    const value = super.evaluate({ ...call, callee: resolved(called) }, environment);
    this.tag = tag;
    return value;
  }

  private filtered(value: Value, filter: Identifier | Call, environment: Environment): Value {
    const name = filter.type === 'Identifier' ? filter.value : (filter.callee as Identifier).value;
    if (name === OUTPUT) return this.printed(value);
    const args = filter.type === 'Identifier' ? [] : filter.args;
    if (name !== 'default' && name !== 'd') return this.applied('filter', name, value, args, environment);
    const given = this.argumentsOf(args, environment);
    const isMissing = isUndefined(value) || (given.flag(1, 'boolean') && !value.__bool__().value);
    return isMissing ? (given.get(0, 'default_value') ?? wrap('')) : value;
  }

  private printed(value: Value): Value {
    if (this.names.use(value, this.tag)) return wrap('');
    if (typeof value.value === 'string') return value;
    this.paid(value);
    return wrap(templateTextOf(value));
  }

  private applied(
    kind: 'filter' | 'method',
    name: string,
    value: Value,
    args: Node[],
    environment: Environment,
  ): Value {
    const filter = (kind === 'filter' ? filters : methods).get(name);
    if (!filter) throw new Error(`there is no ${kind} ${quote(name)}`);
    const given = this.argumentsOf(args, environment);
    if (this.useAny([value, ...given.all()])) return wrap(undefined);
    for (const each of [value, ...given.all()]) this.paid(each);
    return filter(value, given, this.spend);
  }

  private argumentsOf(args: Node[], environment: Environment): Arguments {
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const node of args) {
      if (node.type === 'KeywordArgumentExpression') {
        named.set(node.key.value, this.evaluate(node.value, environment));
      } else positional.push(this.evaluate(node, environment));
    }
    return new Arguments(positional, named);
  }

  private binary(node: Binary, environment: Environment): Value {
    const operator = node.operator.value;
    const left = this.evaluate(node.left, environment);
    if (operator === 'and' || operator === 'or') {
      return super.evaluate({ ...node, left: resolved(left) }, environment);
    }
    const right = this.evaluate(node.right, environment);
    if (this.useAny([left, right])) return wrap(undefined);
    this.paid(left);
    this.paid(right);
    const value = operate(operator, left, right, this.spend);
    return value ?? super.evaluate({ ...node, left: resolved(left), right: resolved(right) }, environment);
  }

  private unary(node: Unary, environment: Environment): Value {
    const argument = this.evaluate(node.argument, environment);
    if (node.operator.value !== 'not' && this.names.use(argument, this.tag)) return wrap(undefined);
    return super.evaluate({ ...node, argument: resolved(argument) }, environment);
  }

  private loop(node: For, environment: Environment): Value {
    const iterable = node.iterable;
    const isFiltered = iterable.type === 'SelectExpression';
    const value = this.evaluate(isFiltered ? iterable.lhs : node.iterable, environment);
    const isMissing = this.names.use(value, this.tag);
    this.spend(isMissing ? 0 : TURN * lengthOf(value));
    const list = resolved(wrapList(isMissing ? [] : itemsOf(value, this.spend)));
    return super.evaluate({ ...node, iterable: isFiltered ? { ...iterable, lhs: list } : list }, environment);
  }

  private assigned(node: Assignment, environment: Environment): Value {
    if (!node.value) return super.evaluate(node, environment);
    const value = this.evaluate(node.value, environment);
    if (node.assignee.type === 'TupleLiteral' && this.names.use(value, this.tag)) return wrap(null);
    // Otherwise a namespace could come to hold itself.
    if (node.assignee.type === 'MemberExpression') this.paid(wrapList([value]));
    return super.evaluate({ ...node, value: resolved(value) }, environment);
  }

  private collected(node: Node, environment: Environment): Value {
    const collection = super.evaluate(node, environment);
    const { value } = collection;
    if (Array.isArray(value) || value instanceof Map) this.useAny([...value.values()]);
    return collection;
  }

  /** Whether one of them is undefined. All of them are asked, so that all names are found at once. */
  private useAny(values: readonly Value[]): boolean {
    return values.filter((value) => this.names.use(value, this.tag)).length > 0;
  }
}

function resolved(value: Value): Resolved {
  return { type: 'Resolved', value };
}

/** The names and texts that lead to a member, as far as they are written out. */
function partsOf(node: Node): string[] {
  if (node.type === 'Identifier') return [node.value];
  if (node.type !== 'MemberExpression') return [];
  const { property } = node;
  const isWritten = property.type === 'StringLiteral' || (property.type === 'Identifier' && !node.computed);
  return [...partsOf(node.object), isWritten ? property.value : '…'];
}
