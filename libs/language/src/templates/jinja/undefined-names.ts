import { type Value } from '@huggingface/jinja';
import { type Span } from '../../source/source-text.js';
import { type TemplateTag } from './tag.js';
import { isUndefined, wrap } from './values.js';

/**
 * The names a template uses although nothing defines them. To ask whether a name is defined, to give it a default and to
 * test whether it is true is no use of it.
 */
export class UndefinedNames {
  /** What they are used for first, by name. */
  readonly used = new Map<string, Span>();
  /** Whether the template depends on names that may be defined, but not here. */
  dependsOnUnknown = false;
  private readonly parts = new WeakMap<Value, readonly string[]>();

  /** `unknown` are the roots of names about which nothing can be said. */
  constructor(private readonly unknown: ReadonlySet<string>) {}

  /** What a name stands for that nothing defines: it goes with its value wherever that goes. */
  undefined(parts: readonly string[]): Value {
    const value = wrap(undefined);
    if (this.unknown.has(parts[0]!)) this.dependsOnUnknown = true;
    else this.parts.set(value, parts);
    return value;
  }

  /** Whether a value is undefined; if so, and for want of a name, the name is used. */
  use(value: Value, tag: TemplateTag | undefined): boolean {
    const parts = this.parts.get(value);
    const name = parts?.join('.');
    if (parts && name !== undefined && tag && !this.used.has(name)) this.used.set(name, tag.spanOfName(parts));
    return isUndefined(value);
  }
}
