import { assertNever } from '#libs/kernel';
import { type Span } from '../source/source-text.js';
import { catalogue, type AttributeOwner } from '../graph/attribute-catalogue.js';
import { lacksUnit, withUnit } from '../graph/coerce.js';
import { type Attribute, type Document, type Identifier, type DotStatement } from '../syntax/tree.js';
import { commentText, type Comment, type Comments } from './comments.js';
import { PrintedPage } from './page.js';

/** What stands between brackets: comments, and attributes as they will be printed. */
type Item = Comment | { attribute: string; start: number };

/** What a statement begins with, on one line and on several. */
interface Head {
  flat: string;
  broken: string;
}

interface WithList {
  type: 'graph attributes' | 'node defaults' | 'edge defaults' | 'node' | 'edge';
  attributes: Attribute[];
  span: Span;
}

const OWNERS: Readonly<Record<WithList['type'], AttributeOwner>> = {
  'graph attributes': 'graph',
  'node defaults': 'node',
  'edge defaults': 'edge',
  node: 'node',
  edge: 'edge',
};

/**
 * Writes a tree in the one layout it has. Names and values are copied as they were written; only space, separators and
 * empty lists change, and a duration without a unit gets one. A statement that fits keeps to one line; else its attributes get one each.
 */
export class SourceLayout {
  private readonly page: PrintedPage;

  constructor(
    private readonly source: string,
    private readonly comments: Comments,
  ) {
    this.page = new PrintedPage(source);
  }

  document({ name, statements, span }: Document): string {
    this.commentsBefore(span.start);
    this.page.beginLine(span.start);
    this.page.write(`digraph${this.gap(name.span.start) || ' '}${name.text}`);
    this.block(statements, span.end - 1);
    this.commentsBefore(Infinity);
    return `${this.page.text}\n`;
  }

  private block(statements: readonly DotStatement[], end: number): void {
    this.page.open(' {');
    for (const statement of statements) {
      this.commentsBefore(statement.span.start);
      this.page.beginLine(statement.span.start);
      this.statement(statement);
    }
    for (const comment of this.comments.takeUntil(end)) this.page.comment(comment, true);
    this.page.close('}');
  }

  private statement(statement: DotStatement): void {
    switch (statement.type) {
      case 'graph attributes':
        return this.headed(oneWord('graph'), statement, true);
      case 'node defaults':
        return this.headed(oneWord('node'), statement, true);
      case 'edge defaults':
        return this.headed(oneWord('edge'), statement, true);
      case 'assignment':
        return this.assignment(statement.attribute);
      case 'node':
        // Without brackets this id would make the next statement part of a subgraph.
        return this.headed(oneWord(statement.id.text), statement, statement.id.text === 'subgraph');
      case 'edge':
        return this.headed(this.chain(statement.nodes), statement);
      case 'subgraph': {
        const { name, statements, span } = statement;
        this.page.write(name ? `subgraph${this.gap(name.span.start) || ' '}${name.text}` : 'subgraph');
        return this.block(statements, span.end - 1);
      }
      default:
        return assertNever(statement);
    }
  }

  private assignment({ key, value }: Attribute): void {
    const written = this.value({ key, value }, 'graph');
    this.page.write(`${key.text} =${this.gap(value.span.start) || ' '}${written}`);
  }

  private chain([first, ...others]: readonly Identifier[]): Head {
    const head = oneWord(first!.text);
    const newline = `\n${this.page.indentation(1)}`;
    for (const { text, span } of others) {
      const gap = this.gap(span.start);
      head.flat += `${gap || ' '}-> ${text}`;
      head.broken += `${gap.trimEnd()}${newline}-> ${text}`;
    }
    return head;
  }

  private headed({ flat, broken }: Head, { type, attributes, span }: WithList, keepsEmptyList = false): void {
    const hasList = this.source[span.end - 1] === ']';
    const items = hasList ? this.items(attributes, OWNERS[type], span.end - 1) : [];
    const isListed = items.length > 0 || keepsEmptyList;
    const list = (): void => (isListed ? this.list(items) : undefined);
    const isBroken = !this.page.fits(isListed ? `${flat} [` : flat);
    this.page.write(isBroken ? broken : flat);
    if (isBroken) this.page.within(list);
    else list();
  }

  private items(attributes: readonly Attribute[], owner: AttributeOwner, end: number): Item[] {
    const items: Item[] = [];
    for (const { key, value } of attributes) {
      items.push(...this.comments.takeUntil(key.span.start));
      const written = this.value({ key, value }, owner);
      const attribute = `${key.text}=${this.gap(value.span.start).trimStart()}${written}`;
      items.push({ attribute, start: key.span.start });
    }
    items.push(...this.comments.takeUntil(end));
    return items;
  }

  private list(items: readonly Item[]): void {
    const last = items.findLastIndex((item) => 'attribute' in item);
    const listed = items.map((item, at) => ('attribute' in item && at < last ? `${item.attribute},` : textOf(item)));
    const flat = ` [${listed.join(' ')}]`;
    const keepsLines = items.some((item) => 'endsLine' in item && item.endsLine);
    if (!keepsLines && this.page.fits(flat)) return this.page.write(flat);

    this.page.open(' [');
    for (const [at, item] of items.entries()) {
      if ('attribute' in item) {
        this.page.beginLine(item.start);
        this.page.write(listed[at]!);
      } else {
        this.page.comment(item, at > last);
      }
    }
    this.page.close(']');
  }

  private commentsBefore(offset: number): void {
    for (const comment of this.comments.takeUntil(offset)) this.page.comment(comment);
  }

  /** The comments before an offset inside a statement, and the space around them; empty when there is none. */
  private gap(offset: number): string {
    const indentation = this.page.indentation(2);
    let gap = '';
    let separator = ' ';
    for (const comment of this.comments.takeUntil(offset)) {
      gap += `${comment.startsLine ? `\n${indentation}` : separator}${commentText(comment, indentation)}`;
      separator = comment.isOpen ? `\n${indentation}` : ' ';
    }
    return gap === '' ? '' : gap + separator;
  }

  private value({ key, value }: Attribute, owner: AttributeOwner): string {
    const type = catalogue[owner].get(key.text)?.type;
    const withItsUnit = type && lacksUnit(value, type) ? withUnit(value, type) : undefined;
    return withItsUnit ?? this.source.slice(value.span.start, value.span.end);
  }
}

function oneWord(text: string): Head {
  return { flat: text, broken: text };
}

function textOf(item: Item): string {
  return 'attribute' in item ? item.attribute : item.text;
}
