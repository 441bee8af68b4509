import { type Attribute, type Identifier, type Literal } from '../syntax/tree.js';
import { catalogue, type AttributeDeclaration, type AttributeOwner } from './attribute-catalogue.js';
import { coerce, naturalValue, type TypedValue } from './coerce.js';

/** One attribute at the place where it was written, read by its declaration. Nodes that inherit it share it. */
export interface DraftAttribute {
  readonly owner: AttributeOwner;
  readonly key: string;
  readonly writtenKey: Identifier;
  readonly literal: Literal;
  /** Written as a default for many, not for one thing. */
  readonly isDefault: boolean;
  /** `undefined`: the language does not know the attribute. */
  readonly declaration: AttributeDeclaration | undefined;
  /** `undefined`: the value is not what the declaration wants, and the attribute counts as absent. */
  readonly typed: TypedValue | undefined;
}

export function draftAttribute(owner: AttributeOwner, { key, value }: Attribute, isDefault = false): DraftAttribute {
  const declaration = catalogue[owner].get(key.text);
  const typed = declaration ? coerce(value, declaration.type) : naturalValue(value);
  return {
    owner,
    key: declaration?.name ?? key.text,
    writtenKey: key,
    literal: value,
    isDefault,
    declaration,
    typed,
  };
}

/** The same attribute with another text: what a reference or a template stood for. It still points at the source. */
export function withText(attribute: DraftAttribute, text: string): DraftAttribute {
  const { form, span } = attribute.literal;
  return { ...attribute, literal: { form, text, span }, typed: { type: 'string', value: text } };
}

/** The attributes in force on one thing, each under its key; a later one replaces an earlier one. */
export class DraftAttributes {
  /** Most edges have none, so the map is made for the first. */
  private byKey: Map<string, DraftAttribute> | undefined;
  private size = 0;

  constructor(inherited?: DraftAttributes) {
    if (!inherited?.byKey) return;
    this.byKey = new Map(inherited.byKey);
    this.size = inherited.size;
  }

  put(attributes: Iterable<DraftAttribute>): this {
    for (const attribute of attributes) {
      this.byKey ??= new Map<string, DraftAttribute>();
      this.size += sizeOf(attribute) - sizeOf(this.byKey.get(attribute.key));
      this.byKey.set(attribute.key, attribute);
    }
    return this;
  }

  /** How much text a copy repeats, in UTF-16 code units. */
  get textSize(): number {
    return this.size;
  }

  get(key: string): DraftAttribute | undefined {
    return this.byKey?.get(key);
  }

  all(): Iterable<DraftAttribute> {
    return this.byKey?.values() ?? [];
  }

  /** A text attribute; `undefined` when absent or not a text. */
  text(key: string): string | undefined {
    const typed = this.byKey?.get(key)?.typed;
    return typed?.type === 'string' ? typed.value : undefined;
  }

  /** A text attribute that says something; blank counts as absent. */
  words(key: string): string | undefined {
    const text = this.text(key);
    return text?.trim() ? text : undefined;
  }

  integer(key: string): number | undefined {
    const typed = this.byKey?.get(key)?.typed;
    return typed?.type === 'integer' ? typed.value : undefined;
  }

  flag(key: string): boolean | undefined {
    const typed = this.byKey?.get(key)?.typed;
    return typed?.type === 'boolean' ? typed.value : undefined;
  }

  durationMs(key: string): number | undefined {
    const typed = this.byKey?.get(key)?.typed;
    return typed?.type === 'duration' ? typed.value : undefined;
  }

  /** A text attribute that is one of the values allowed; any other value counts as absent. */
  oneOf<T extends string>(key: string, allowed: readonly T[]): T | undefined {
    const text = this.text(key);
    return allowed.find((value) => value === text);
  }
}

function sizeOf(attribute: DraftAttribute | undefined): number {
  return attribute === undefined ? 0 : attribute.key.length + attribute.literal.text.length;
}
