import { type Value } from '@huggingface/jinja';
import { ITEM } from './values.js';

const MAX_DEPTH = 64;

interface Extent {
  size: number;
  depth: number;
}

/**
 * How much it takes to go through values. A list that holds another one a thousand times is short to write and long to
 * print, so what is in a value counts as often as it is in there.
 */
export class Sizes {
  private readonly known = new WeakMap<Value, Extent>();

  /** Throws when a value is nested deeper than anybody needs, or holds a namespace, which could come to hold it. */
  of(value: Value): number {
    return this.extentOf(value).size;
  }

  private extentOf(wrapped: Value): Extent {
    const { value } = wrapped;
    if (typeof value === 'string') return { size: value.length, depth: 0 };
    if (typeof value !== 'object') return { size: 1, depth: 0 };
    const known = this.known.get(wrapped);
    if (known) return known;
    const extent: Extent = { size: 1, depth: 0 };
    if (Array.isArray(value)) for (const item of value) this.add(extent, item);
    else for (const [key, item] of value) this.add(extent, item, key.length);
    if (extent.depth > MAX_DEPTH) throw new Error('a value is nested too deeply');
    // A namespace may be given other values later.
    if (wrapped.type !== 'NamespaceValue') this.known.set(wrapped, extent);
    return extent;
  }

  private add(extent: Extent, item: Value, keyLength = 0): void {
    if (item.type === 'NamespaceValue') throw new Error('a namespace cannot be part of another value');
    const { size, depth } = this.extentOf(item);
    extent.size += ITEM + keyLength + size;
    extent.depth = Math.max(extent.depth, depth + 1);
  }
}
