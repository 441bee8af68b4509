import { quote } from '../diagnostics/wording.js';
import { type Declaration, type ParsedStylesheet, type Selector, type StylesheetFault } from './stylesheet.js';

const SPACE = /\s*/y;
const SELECTOR = /\*|[.#]?[A-Za-z0-9_-]+/y;
const PROPERTY = /[^\s:;{}]+/y;
const VALUE = /[^;}]*/y;
const CLASS_NAME = /^[a-z0-9-]+$/;
const MAX_FAULTS = 50;

/**
 * Reads a style sheet: rules of one selector and any number of declarations. A faulty rule is reported and left out, and
 * reading goes on behind it. Never throws; takes time linear in the text.
 */
export function parseStylesheet(text: string): ParsedStylesheet {
  const reader = new Reader(text);
  reader.rules();
  return { declarations: reader.declarations, faults: reader.faults };
}

class Reader {
  readonly declarations: Declaration[] = [];
  readonly faults: StylesheetFault[] = [];
  private readonly text: string;
  private at = 0;

  constructor(written: string) {
    // Comments become space of the same length, so that all places stay.
    this.text = written.replace(/\/\*[^]*?\*\//g, (comment) => ' '.repeat(comment.length));
  }

  rules(): void {
    for (this.space(); this.at < this.text.length && this.faults.length < MAX_FAULTS; this.space()) {
      const found: Declaration[] = [];
      if (this.rule(found)) this.declarations.push(...found);
      else this.skipRule();
    }
  }

  private rule(found: Declaration[]): boolean {
    const selector = this.selector();
    if (!selector) return false;
    if (!this.take('{')) return this.fault('Expected "{" after the selector, which is one word');
    const open = this.at - 1;
    for (;;) {
      this.spaceAndSemicolons();
      if (this.take('}')) return true;
      if (this.at >= this.text.length) return this.faultAt('This "{" is never closed', open, open + 1);
      const declaration = this.declaration(selector);
      if (!declaration) return false;
      found.push(declaration);
    }
  }

  private selector(): Selector | undefined {
    if (this.text.startsWith('/*', this.at))
      return void this.faultAt('This comment is never closed', this.at, this.text.length);
    const start = this.at;
    const written = this.match(SELECTOR);
    if (written === undefined) return void this.fault('Expected a selector: *, a shape, .class or #id');
    this.space();
    const name = written.slice(1);
    if (written === '*') return { type: 'all' };
    if (written.startsWith('#')) return { type: 'id', name };
    if (!written.startsWith('.')) return { type: 'shape', name: written };
    if (CLASS_NAME.test(name)) return { type: 'class', name };
    return void this.faultAt(
      'A class is written with small letters, digits and hyphens',
      start,
      start + written.length,
    );
  }

  private declaration(selector: Selector): Declaration | undefined {
    const from = this.at;
    const property = this.match(PROPERTY);
    if (property === undefined) return void this.fault('Expected a property');
    const propertyAt = { from, to: this.at };
    this.space();
    if (!this.take(':')) return void this.fault(`Expected ":" after the property ${quote(property)}`);
    this.space();
    const start = this.at;
    const value = (this.match(VALUE) ?? '').trimEnd();
    if (value === '') return void this.faultAt(`The property ${quote(property)} has no value`, from, propertyAt.to);
    return { selector, property, value, propertyAt, valueAt: { from: start, to: start + value.length } };
  }

  /** Behind the end of the rule, or at the end of the sheet. */
  private skipRule(): void {
    const end = this.text.indexOf('}', this.at);
    this.at = end === -1 ? this.text.length : end + 1;
  }

  private fault(message: string): false {
    const found = this.text[this.at];
    const what = found === undefined ? 'the end of the style sheet' : quote(found);
    return this.faultAt(`${message}, but found ${what}`, this.at, this.at + 1);
  }

  private faultAt(message: string, from: number, to: number): false {
    this.faults.push({ message: `${message}.`, from, to });
    return false;
  }

  private space(): void {
    this.match(SPACE);
  }

  private spaceAndSemicolons(): void {
    do this.space();
    while (this.take(';'));
  }

  private take(sign: string): boolean {
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return undefined;
    const matched = this.text.slice(this.at, pattern.lastIndex);
    this.at = pattern.lastIndex;
    return matched;
  }
}
