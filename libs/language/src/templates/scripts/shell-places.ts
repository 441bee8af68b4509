import { refuseCode, refuseInTest } from './code-words.js';
import { EXPANSION, TOKEN, type Command, type TokenPlace, type Word } from './token-place.js';
import { type ScriptToken } from './script-tokens.js';

/** A here-document that was announced and begins on the next line. */
interface Announced {
  delimiter: string;
  stripsTabs: boolean;
  isQuoted: boolean;
  command: Command;
}

type Quotes = 'bare' | 'double' | 'document';

const METACHARACTERS = ' \t\n;&|()<>';
const NAME_START = /[A-Za-z_]/;
const NAME_PART = /\w/;
/** Deeper than anybody nests, shallower than any stack. */
const MAX_DEPTH = 50;

/** Where each token of a shell script stands, for bash as for every other shell; see {@link TokenPlace}. Linear in the text. */
export function shellPlaces(script: string, tokens: readonly ScriptToken[]): TokenPlace[] {
  return new ShellPlaces(script, tokens).read();
}

/**
 * Reads a script as shells do, only as far as quoting goes. Where shells differ, or it takes more than this to know how
 * they read on, no place behind is known.
 */
class ShellPlaces {
  private readonly places: TokenPlace[] = [];
  private at = 0;
  private depth = 0;
  private announced: Announced[] = [];
  /** Where a `$name` ended. */
  private nameEnd = -1;
  private isInTest = false;

  constructor(
    private readonly text: string,
    private readonly tokens: readonly ScriptToken[],
  ) {}

  read(): TokenPlace[] {
    this.commands(false);
    return this.places;
  }

  /** Commands up to the end of the text, or inside `$( )` up to its parenthesis. */
  private commands(isInside: boolean): void {
    const outside = this.announced.length;
    let pipelines: Command[][] = [[]];
    let command = begun(pipelines);
    let isTarget = false;
    let isHereString = false;
    let open = 0;
    let goesOn = false;
    const judge = (): void => {
      for (const pipeline of pipelines) this.judge(pipeline);
      pipelines = [[]];
      command = begun(pipelines);
    };
    for (let sign = this.sign(); sign !== ''; sign = this.sign()) {
      if (sign === ' ' || sign === '\t') this.at++;
      else if (sign === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
      else if (sign === '\n') {
        this.at++;
        if (outside > 0) this.loseAnnounced();
        this.documents();
        if (!goesOn) judge();
      } else if (sign === '#') this.comment();
      else if (this.text.startsWith('<<<', this.at)) {
        this.at += 3;
        isHereString = true;
      } else if (sign === '<' || sign === '>') isTarget = this.redirection(command);
      else if (sign === '&' && this.text[this.at + 1] === '>') this.at++;
      else if (sign === '|' && this.text[this.at + 1] !== '|') {
        this.at += this.text[this.at + 1] === '&' ? 2 : 1;
        command = begun(pipelines);
        goesOn = true;
      } else if (sign === ')' && isInside && open === 0) {
        this.at++;
        judge();
        if (this.announced.length > outside) this.loseAnnounced();
        return;
      } else if (sign === '(' && this.text[this.at + 1] === '(') this.arithmetic();
      else if (METACHARACTERS.includes(sign)) {
        open += sign === '(' ? 1 : sign === ')' ? -1 : 0;
        this.at += sign === '|' ? 2 : 1;
        pipelines.push([]);
        command = begun(pipelines);
      } else {
        const word = this.word();
        if (isInside && word.text === 'case') this.lose('behind a case inside $( )');
        const isDescriptor = /^\d+$/.test(word.text) && '<>'.includes(this.sign() || ' ');
        if (isHereString) command.documents.push(...word.tokens);
        else if (!isTarget && !isDescriptor) command.words.push(word);
        isTarget = isHereString = goesOn = false;
      }
    }
    judge();
  }

  private judge(pipeline: readonly Command[]): void {
    const refuse = (token: number, why: string, isCalculated = false): void => {
      if (this.places[token]?.kind !== 'comment') this.places[token] = unknown(why, isCalculated);
    };
    refuseCode(pipeline, refuse);
    for (const command of pipeline) {
      if (command.words.some(({ text }) => text === '[[')) this.isInTest = true;
      if (this.isInTest) refuseInTest(command, refuse);
      if (command.words.some(({ text }) => text === ']]')) this.isInTest = false;
    }
  }

  /** A word up to its end, with everything that is in it. */
  private word(): Word {
    const first = this.places.length;
    let text = '';
    let isSubscript = false;
    while (this.at < this.text.length) {
      const sign = this.text[this.at]!;
      const before = this.places.length;
      const began = this.at;
      if (this.isAtToken()) {
        this.place(isSubscript ? unknown('in a subscript') : { kind: 'bare' });
        text += TOKEN;
        continue;
      }
      if (METACHARACTERS.includes(sign)) break;
      if (sign === '\\') text += this.escape();
      else if (sign === "'") text += this.single();
      else if (sign === '"') text += this.double();
      else if (sign === '$' || sign === '`') {
        this.expansion('bare');
        text += EXPANSION;
      } else {
        isSubscript = sign === '[' || (isSubscript && sign !== ']');
        text += sign;
        this.at++;
      }
      if (isSubscript && sign !== '[') this.refuseSince(before, 'in a subscript');
      if (this.at === began) this.at++;
    }
    return { text, tokens: Array.from({ length: this.places.length - first }, (_, index) => first + index) };
  }

  private escape(): string {
    this.at++;
    if (this.isAtToken()) {
      this.place(unknown('right behind a backslash'));
      return TOKEN;
    }
    const sign = this.text[this.at] ?? '';
    if (sign === '\n' && this.nameEnd === this.at - 1) this.nameEnd = this.at + 1;
    this.at++;
    return sign === '\n' ? '' : sign;
  }

  private single(): string {
    this.at++;
    let text = '';
    while (this.at < this.text.length && this.text[this.at] !== "'") {
      if (this.isAtToken()) {
        this.place({ kind: 'single' });
        text += TOKEN;
      } else text += this.literal();
    }
    this.at++;
    return text;
  }

  private double(): string {
    this.at++;
    let text = '';
    while (this.at < this.text.length && this.text[this.at] !== '"') {
      const sign = this.text[this.at]!;
      if (this.isAtToken()) {
        this.place({ kind: 'double', afterName: this.at === this.nameEnd });
        text += TOKEN;
      } else if (sign === '\\') text += this.escape();
      else if (sign === '$' || sign === '`') {
        this.expansion('double');
        text += EXPANSION;
      } else text += this.literal();
    }
    this.at++;
    return text;
  }

  /** One character that stands for itself inside quotes. */
  private literal(): string {
    const sign = this.text[this.at]!;
    if (sign === '\n') this.loseAnnounced();
    this.at++;
    return sign;
  }

  /** What begins with `$` or a back-tick. */
  private expansion(quotes: Quotes): void {
    if (this.text[this.at] === '`') return this.backTicks();
    this.at++;
    if (this.isAtToken()) return this.place(unknown('right behind a $'));
    const sign = this.text[this.at] ?? '';
    if (sign === '(' || sign === '{')
      this.nested(() => (sign === '(' ? this.substitution(quotes) : this.parameter(quotes)));
    else if (sign === '[') this.lose('in $[ ], or behind it');
    else if (sign === '\\' && this.text[this.at + 1] === '\n') this.lose('behind a $ that the next line continues');
    else if (sign === "'" && quotes === 'bare') this.escapedText();
    else if (sign === '"' && quotes === 'bare') this.refusing('in $"…"', () => this.double());
    else if (NAME_START.test(sign)) this.name();
    else if (/[\d@*#?$!-]/.test(sign)) this.at++;
  }

  private nested(read: () => void): void {
    if (++this.depth > MAX_DEPTH) this.lose('behind what is nested too deeply');
    else read();
    this.depth--;
  }

  private name(): void {
    while (NAME_PART.test(this.text[this.at] ?? '')) this.at++;
    this.nameEnd = this.at;
  }

  private substitution(quotes: Quotes): void {
    if (this.text[this.at + 1] === '(') return this.arithmetic();
    this.at++;
    if (quotes !== 'document') return this.commands(true);
    this.refusing('in a command inside a here-document', () => this.commands(true));
  }

  /** Behind `((`: it is arithmetic only where both parentheses are closed together. */
  private arithmetic(): void {
    const from = this.at + 2;
    let open = 0;
    for (let at = from; at < this.text.length; at++) {
      const sign = this.text[at]!;
      if ('\'"`\\\n'.includes(sign)) break;
      if (sign === '(') open++;
      if (sign !== ')' || open-- > 0) continue;
      if (this.text[at + 1] !== ')') break;
      return this.refuseUntil(at + 2, 'in arithmetic', true);
    }
    this.lose('in (( )), or behind it', true);
  }

  private parameter(quotes: Quotes): void {
    this.at++;
    this.refusing('in ${ }', () => {
      for (let sign = this.sign(); sign !== '' && sign !== '}'; sign = this.sign()) {
        if (this.isAtToken()) this.place(unknown('in ${ }'));
        else if (sign === '\\') this.escape();
        else if (sign === '$' || sign === '`') this.expansion(quotes);
        else if (sign === '\n' || (quotes !== 'bare' && `'"`.includes(sign))) this.lose('in ${ }, or behind it');
        else if (sign === "'") this.single();
        else if (sign === '"') this.double();
        else this.at++;
      }
    });
    this.at++;
  }

  private backTicks(): void {
    let at = this.at + 1;
    while (at < this.text.length && this.text[at] !== '`') at += this.text[at] === '\\' ? 2 : 1;
    if (this.text.slice(this.at, at).includes('\n')) this.loseAnnounced();
    this.refuseUntil(Math.min(at + 1, this.text.length), 'in back-ticks');
  }

  /** `$'…'` is read by some shells only, and each of them ends it elsewhere when there are backslashes in it. */
  private escapedText(): void {
    const from = this.at;
    this.refusing("in $'…'", () => this.single());
    if (this.text.slice(from, this.at).includes('\\')) this.lose("behind $'…' with backslashes");
  }

  private comment(): void {
    while (this.at < this.text.length && this.text[this.at] !== '\n') {
      if (this.isAtToken()) this.place({ kind: 'comment' });
      else this.at++;
    }
  }

  /** Returns whether the next word is a file to redirect to. */
  private redirection(command: Command): boolean {
    const rest = this.text.slice(this.at, this.at + 3);
    if (/^[<>]\\\n/.test(rest)) this.lose('behind a redirection that the next line continues');
    else if (rest.startsWith('<<')) {
      this.announce(rest === '<<-', command);
      return false;
    } else if (/^[<>]\(/.test(rest)) {
      const first = this.places.length;
      this.at += 2;
      this.nested(() => this.commands(true));
      if (rest.startsWith('<'))
        for (let token = first; token < this.places.length; token++) command.documents.push(token);
      return false;
    } else this.at += /^(?:>>|>\||[<>]&|<>)/.test(rest) ? 2 : 1;
    return true;
  }

  private announce(stripsTabs: boolean, command: Command): void {
    this.at += stripsTabs ? 3 : 2;
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at++;
    const from = this.at;
    const { text: delimiter, tokens } = this.word();
    const written = this.text.slice(from, this.at);
    if (tokens.length > 0 || delimiter === '' || /[$`\n]/.test(written)) {
      this.refuseSince(tokens[0] ?? this.places.length, 'in the delimiter of a here-document');
      this.lose('behind a here-document whose end is not known');
      return;
    }
    this.announced.push({ delimiter, stripsTabs, isQuoted: /['"\\]/.test(written), command });
  }

  /** Reads the here-documents that begin on this line. */
  private documents(): void {
    const announced = this.announced;
    this.announced = [];
    for (const document of announced) {
      const first = this.places.length;
      this.document(document);
      for (let token = first; token < this.places.length; token++) document.command.documents.push(token);
    }
  }

  private document(document: Announced): void {
    const { delimiter, isQuoted } = document;
    const { to, next, isJoined } = this.endOf(document);
    if (isQuoted) this.refuseUntil(to, 'in a here-document with a quoted delimiter');
    while (this.at < to) {
      const sign = this.text[this.at]!;
      if (this.isAtToken()) this.place({ kind: 'document', delimiter, afterName: this.at === this.nameEnd });
      else if (sign === '\\') this.escape();
      else if (sign === '$' || sign === '`') this.expansion('document');
      else this.at++;
    }
    if (this.at > to || isJoined) this.lose('behind a here-document whose end is not known');
    else this.at = next;
  }

  /** Where the text of a here-document ends, and where the script goes on. Shells differ about lines that are joined. */
  private endOf({ delimiter, stripsTabs, isQuoted }: Announced): { to: number; next: number; isJoined: boolean } {
    let isJoined = false;
    for (let from = this.at; from < this.text.length;) {
      const newline = this.text.indexOf('\n', from);
      const end = newline === -1 ? this.text.length : newline;
      const line = this.text.slice(from, end);
      if ((stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter) {
        return { to: from, next: Math.min(end + 1, this.text.length), isJoined };
      }
      isJoined ||= !isQuoted && line.endsWith('\\');
      from = end + 1;
    }
    return { to: this.text.length, next: this.text.length, isJoined };
  }

  private sign(): string {
    return this.text[this.at] ?? '';
  }

  private isAtToken(): boolean {
    return this.tokens[this.places.length]?.from === this.at;
  }

  private place(place: TokenPlace): void {
    this.at = this.tokens[this.places.length]!.to;
    this.places.push(place);
  }

  /** Passes over what is read as something else than a text. */
  private refuseUntil(end: number, why: string, isCalculated = false): void {
    while ((this.tokens[this.places.length]?.from ?? end) < end) this.place(unknown(why, isCalculated));
    this.at = end;
  }

  private refusing(why: string, read: () => void): void {
    const first = this.places.length;
    read();
    this.refuseSince(first, why);
  }

  private refuseSince(first: number, why: string): void {
    for (let token = first; token < this.places.length; token++) {
      if (this.places[token]!.kind !== 'unknown') this.places[token] = unknown(why);
    }
  }

  /** The text of a here-document would begin at a newline that is not the end of a command. */
  private loseAnnounced(): void {
    if (this.announced.length > 0) this.lose('behind a here-document inside other quotes');
  }

  /** From here on no place is known. */
  private lose(why: string, isCalculated = false): void {
    this.refuseUntil(this.text.length, why, isCalculated);
    this.announced = [];
  }
}

/** The next command of the last pipeline. */
function begun(pipelines: Command[][]): Command {
  const command: Command = { words: [], documents: [] };
  pipelines.at(-1)!.push(command);
  return command;
}

function unknown(why: string, isCalculated = false): TokenPlace {
  return { kind: 'unknown', why, ...(isCalculated && { isCalculated }) };
}
