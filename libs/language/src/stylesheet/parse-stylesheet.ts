import { quote } from '../diagnostics/wording.js';
import { blankComments } from './blank-comments.js';
import {
  type Declaration,
  type Selector,
  type Stretch,
  type StyleRule,
  type Stylesheet,
  type StylesheetFault,
} from './stylesheet.js';

const SPACE = /\s*/y;
const SPACE_AND_SEMICOLONS = /[\s;]*/y;
const SELECTOR = /\*|[.#]?[A-Za-z0-9_-]+/y;
const CLASS_NAME = /^[a-z0-9-]+$/;
const PROPERTY = /[^\s:;{}]+/y;
const VALUE = /[^;}]*/y;
const COMMENT = /\/\*[^]*?\*\//g;
const MAX_FAULTS = 50;

/**
 * Reads a style sheet. A faulty rule is reported and left out, and reading goes on behind its "}". Never throws; takes
 * time linear in the text.
 */
export function parseStylesheet(written: string): Stylesheet {
  const { text, openAt } = blankComments(written);
  const sheet = new Reader(written, text).sheet();
  if (openAt !== undefined) {
    sheet.faults.push({ message: 'This comment is never closed.', at: { from: openAt, to: openAt + 2 } });
  }
  return sheet;
}

/** Ends the rule that is being read. */
class Abandoned extends Error {
  constructor(readonly fault: StylesheetFault) {
    super(fault.message);
  }
}

class Reader {
  private at = 0;

  constructor(
    private readonly written: string,
    /** What was written, with blanks in the place of comments. */
    private readonly text: string,
  ) {}

  sheet(): Stylesheet {
    const sheet: Stylesheet = { rules: [], faults: [] };
    for (this.skip(SPACE); !this.isAtEnd && sheet.faults.length < MAX_FAULTS; this.skip(SPACE)) {
      try {
        sheet.rules.push(this.rule());
      } catch (thrown) {
        if (!(thrown instanceof Abandoned)) throw thrown;
        sheet.faults.push(thrown.fault);
        this.skipRule();
      }
    }
    return sheet;
  }

  private rule(): StyleRule {
    const selector = this.selector();
    this.skip(SPACE);
    const open = this.at;
    if (!this.take('{')) throw this.expected('"{" after the selector, which is one word');
    const declarations: Declaration[] = [];
    for (this.skip(SPACE_AND_SEMICOLONS); !this.take('}'); this.skip(SPACE_AND_SEMICOLONS)) {
      if (this.isAtEnd) throw this.fault('This "{" is never closed.', { from: open, to: open + 1 });
      declarations.push(this.declaration());
    }
    return { selector, declarations };
  }

  private selector(): Selector {
    this.refuseLineComment();
    const from = this.at;
    const written = this.match(SELECTOR);
    if (written === '') throw this.expected('a selector: *, a shape, .class or #id');
    if (written === '*') return { kind: 'all', name: written };
    const name = written.slice(1);
    if (written.startsWith('#')) return { kind: 'id', name };
    if (!written.startsWith('.')) return { kind: 'shape', name: written };
    if (CLASS_NAME.test(name)) return { kind: 'class', name };
    throw this.fault('A class is written with small letters, digits and hyphens.', { from, to: this.at });
  }

  private declaration(): Declaration {
    this.refuseLineComment();
    const from = this.at;
    const property = this.match(PROPERTY);
    if (property === '') throw this.expected('a property');
    const propertyAt = { from, to: this.at };
    this.skip(SPACE);
    if (!this.take(':')) throw this.expected(`":" after the property ${quote(property)}`);
    this.skip(SPACE);
    const start = this.at;
    const valueAt = { from: start, to: start + this.match(VALUE).trimEnd().length };
    if (valueAt.to === start) throw this.fault(`The property ${quote(property)} has no value.`, propertyAt);
    const value = this.written.slice(valueAt.from, valueAt.to).replace(COMMENT, ' ');
    return { property, value, propertyAt, valueAt };
  }

  private refuseLineComment(): void {
    if (!this.text.startsWith('//', this.at)) return;
    throw this.fault('A comment is written between /* and */.', { from: this.at, to: this.at + 2 });
  }

  /** To behind the end of the rule, or to the end of the sheet. */
  private skipRule(): void {
    const close = this.text.indexOf('}', this.at);
    this.at = close === -1 ? this.text.length : close + 1;
  }

  private expected(what: string): Abandoned {
    const found = this.text.codePointAt(this.at);
    const there = found === undefined ? 'the style sheet ends' : `found ${quote(String.fromCodePoint(found))}`;
    return this.fault(`Expected ${what}, but ${there}.`, { from: this.at, to: this.at + 1 });
  }

  private fault(message: string, at: Stretch): Abandoned {
    return new Abandoned({ message, at });
  }

  private get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  private take(sign: string): boolean {
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private skip(pattern: RegExp): void {
    this.match(pattern);
  }

  /** What a pattern takes from here, or nothing. */
  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const matched = pattern.exec(this.text)?.[0] ?? '';
    this.at += matched.length;
    return matched;
  }
}
