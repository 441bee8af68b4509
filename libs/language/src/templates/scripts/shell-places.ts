import { isReserved } from './command-names.js';
import { readersIn } from './script-readers.js';
import { EXPANSION, TOKEN, type ShellCommand, type ReadScript, type TokenPlace, type Word } from './token-place.js';
import { type ScriptToken } from './script-tokens.js';

/** A here-document that was announced and begins on the next line. */
interface Announced {
  delimiter: string;
  stripsTabs: boolean;
  isQuoted: boolean;
}

interface DocumentEnd {
  to: number;
  next: number;
  isJoined: boolean;
}

type Quotes = 'bare' | 'double' | 'document';

const METACHARACTERS = ' \t\n;&|()<>';
const NAME_START = /[A-Za-z_]/;
const NAME_PART = /\w/;
/** Deeper than anybody nests, shallower than any stack. */
const MAX_DEPTH = 50;

/**
 * Where each token of a shell script stands, for bash as for every other shell; see {@link TokenPlace}. In a script that
 * reads code from anywhere, only arguments of a script of the author are known. Linear in the text.
 */
export function shellPlaces(text: string, tokens: readonly ScriptToken[]): TokenPlace[] {
  const script = new ShellPlaces(text, tokens).read();
  const { reason, fix, harmless } = readersIn(script);
  return script.places.map((place, token) => {
    const stays = reason === undefined || harmless.has(token) || place.kind === 'comment' || place.kind === 'unknown';
    return stays ? place : unknown(`in a script that ${reason}`, fix);
  });
}

/** A parameter whose expansion evaluates nothing that variables hold. */
const PLAIN_PARAMETER =
  /(?:#?(?:\w+|[@*#?$!-])(?:\[(?:[@*]|\d+)\])?(?:\}|:?[-+=?]|[#%/^,]|@[QUuLa]\}|(?::\s*-?\d+){1,2}\})|![A-Za-z_]\w*\[[@*]\]\}|#\})/y;
/** What is a number, whatever the script was given. */
const PLAIN_COUNT = /^\$\{(?:#(?:\w+|[@*])?(?:\[(?:[@*]|\d+)\])?|[?$!])\}$/;
/** What becomes several words in double quotes too. */
const SEVERAL_WORDS = /^\$(?:@|\{[^]*@)/;
/** An expression that names no variable. */
const PLAIN_NUMBERS = /^[\s\d()+*/%<>=!&|^~?:,-]*$/;

/**
 * Reads a script as shells do, only as far as quoting goes. Where shells differ, or it takes more than this to know how
 * they read on, no place behind is known.
 */
class ShellPlaces {
  private readonly places: TokenPlace[] = [];
  private readonly script: ReadScript = {
    places: this.places,
    commands: [],
    arrays: new Set(),
    unread: [],
    calculates: false,
    writes: false,
    isLost: false,
  };
  private at = 0;
  private depth = 0;
  /** The tokens of the word that is read, without those of commands inside of it. */
  private inWord: number[] = [];
  /** Whether the word that is read may be several. */
  private splits = false;
  private announced: Announced[] = [];
  /** Where a `$name` ended. */
  private nameEnd = -1;

  constructor(
    private readonly text: string,
    private readonly tokens: readonly ScriptToken[],
  ) {}

  read(): ReadScript {
    this.commands(false);
    return this.script;
  }

  /** Commands up to the end of the text, or inside `$( )` up to its parenthesis. */
  private commands(isInside: boolean): void {
    const outside = this.announced.length;
    let command = this.begun();
    let isTarget = false;
    let isInTest = false;
    let open = 0;
    for (let sign = this.sign(); sign !== ''; sign = this.sign()) {
      if (sign === ' ' || sign === '\t') this.at++;
      else if (sign === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
      else if (sign === '\n') {
        this.at++;
        if (outside > 0) this.loseAnnounced();
        this.documents(isInside);
        if (!isInTest) command = this.begun();
      } else if (isInTest && (METACHARACTERS + '#').includes(sign)) this.at++;
      else if (sign === '#') this.comment();
      else if (sign === '(' && !this.mayOpen()) this.lose('behind a parenthesis that shells read in several ways');
      else if (sign === '<' || sign === '>') isTarget = this.redirection();
      else if (sign === '&' && this.text[this.at + 1] === '>') this.at++;
      else if (sign === ')' && isInside && open === 0) {
        this.at++;
        if (this.announced.length > outside) this.loseAnnounced();
        return;
      } else if (sign === '(' && this.text[this.at + 1] === '(') this.arithmetic();
      else if (sign === '(' && this.text[this.at - 1] === '=') this.array(command);
      else if (METACHARACTERS.includes(sign)) {
        open += sign === '(' ? 1 : sign === ')' ? -1 : 0;
        this.at++;
        command = this.begun();
      } else {
        const word = this.word();
        if (isInside && word.text === 'case') this.lose('behind a case inside $( )');
        const isDescriptor = /^(?:\d+|\{\w+\})$/.test(word.text) && '<>'.includes(this.sign() || ' ');
        if (isTarget) {
          command.others.push(word);
          this.script.writes ||= !/^(?:\d+-?|-|\/dev\/(?:null|stdout|stderr|tty))$/.test(word.text);
        } else if (!isDescriptor) command.words.push(word);
        isTarget = false;
        const isTest = word.text === '[[' && isReserved(command.words.at(-2)?.text ?? '!');
        isInTest = (isInTest || isTest) && word.text !== ']]';
      }
    }
  }

  /** The next command of the script. */
  private begun(): ShellCommand {
    const command: ShellCommand = { words: [], others: [] };
    this.script.commands.push(command);
    return command;
  }

  /** Whether a parenthesis is no part of a pattern, and of no `((` or `=(` that goes on in the next line. */
  private mayOpen(): boolean {
    if (this.text.startsWith('(\\\n', this.at) || this.text.startsWith('\\\n', this.at - 2)) return false;
    const before = this.text[this.at - 1] ?? '\n';
    return (
      METACHARACTERS.includes(before) || before === '=' || /^\([ \t]*\)/.test(this.text.slice(this.at, this.at + 10))
    );
  }

  /** Behind a parenthesis that closed a part of a word no other part may follow: shells differ in what it is. */
  private endOfPart(): void {
    if (this.at < this.text.length && !METACHARACTERS.includes(this.sign()))
      this.lose('behind a word that goes on behind ( )');
  }

  /** What an array is given, `=( … )`: words on as many lines as it takes. */
  private array({ words, others }: ShellCommand): void {
    this.script.arrays.add(words.at(-1)?.text.replace(/\+?=$/, '') ?? '');
    this.at++;
    for (let sign = this.sign(); sign !== '' && sign !== ')'; sign = this.sign()) {
      if (sign === '\n') this.loseAnnounced();
      if (sign === '#') this.comment();
      else if (METACHARACTERS.includes(sign)) this.at++;
      else others.push(this.word());
    }
    this.at++;
    this.endOfPart();
  }

  /** A word up to its end, with everything that is in it. */
  private word(): Word {
    const outside = { inWord: this.inWord, splits: this.splits };
    this.inWord = [];
    this.splits = false;
    let text = '';
    let isSubscript = false;
    let hasBrace = false;
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
      else if (sign === '$' || sign === '`') text += this.expansion('bare');
      else {
        hasBrace ||= sign === '{';
        isSubscript = sign === '[' || (isSubscript && sign !== ']');
        text += sign;
        this.at++;
      }
      if (isSubscript && sign !== '[') this.refuseSince(before, 'in a subscript');
      if (this.at === began) this.at++;
    }
    const splits = this.splits || (hasBrace && text.includes(','));
    const word = { text, tokens: this.inWord, splits };
    this.inWord = outside.inWord;
    this.splits = outside.splits;
    return word;
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
      else if (sign === '$' || sign === '`') text += this.expansion('double');
      else text += this.literal();
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

  /** What begins with `$` or a back-tick. Returns what stands for it in the text of a word. */
  private expansion(quotes: Quotes): string {
    const from = this.at;
    const text = this.expanded(quotes);
    const written = this.text.slice(from, this.at);
    if (text === '0' || PLAIN_COUNT.test(written)) return '0';
    this.splits ||= quotes === 'bare' ? !/^\$(?:['"]|\(\()/.test(written) : SEVERAL_WORDS.test(written);
    return text;
  }

  private expanded(quotes: Quotes): string {
    if (this.text[this.at] === '`') this.backTicks(quotes);
    else {
      this.at++;
      const sign = this.text[this.at] ?? '';
      if (this.isAtToken()) this.place(unknown('right behind a $'));
      else if (sign === '(' || sign === '{')
        this.nested(() => (sign === '(' ? this.substitution(quotes) : this.parameter(quotes)));
      else if (sign === '[') this.calculation('in $[ ], or behind it');
      else if (sign === '\\' && this.text[this.at + 1] === '\n') this.lose('behind a $ that the next line continues');
      else if (sign === "'" && quotes === 'bare') this.escapedText();
      else if (sign === '"' && quotes === 'bare') this.refusing('in $"…"', () => this.double());
      else if (NAME_START.test(sign)) this.name();
      else if (/[\d@*#?$!-]/.test(sign)) this.at++;
      // Numbers, whatever was given to the script.
      if (/[#?$!]/.test(sign)) return '0';
    }
    return EXPANSION;
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
    if (this.text.startsWith('\\\n', this.at + 1)) return this.lose('behind a $( that the next line continues');
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
      this.script.calculates ||= !PLAIN_NUMBERS.test(this.text.slice(from, at));
      return this.refuseUntil(at + 2, 'in arithmetic');
    }
    this.calculation('in (( )), or behind it');
  }

  /** A calculation whose end is not known. */
  private calculation(why: string): void {
    this.script.calculates = true;
    this.lose(why);
  }

  private parameter(quotes: Quotes): void {
    this.at++;
    PLAIN_PARAMETER.lastIndex = this.at;
    this.script.calculates ||= !PLAIN_PARAMETER.test(this.text);
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

  private backTicks(quotes: Quotes): void {
    let at = this.at + 1;
    while (at < this.text.length && this.text[at] !== '`') at += this.text[at] === '\\' ? 2 : 1;
    if (this.text.slice(this.at, at).includes('\n')) this.loseAnnounced();
    this.script.unread.push(this.text.slice(this.at, at));
    const written = this.text.slice(this.at + 1, at);
    this.readInside(written.replace(quotes === 'double' ? /\\([$`"\\])/g : /\\([$`\\])/g, '$1'));
    this.refuseUntil(Math.min(at + 1, this.text.length), 'in back-ticks');
  }

  /** What the commands in back-ticks do with variables. A token there is refused, so that its place does not matter. */
  private readInside(text: string): void {
    const inside = new ShellPlaces(text, []).read();
    for (const command of inside.commands) this.script.commands.push(command);
    for (const name of inside.arrays) this.script.arrays.add(name);
    for (const text of inside.unread) this.script.unread.push(text);
    this.script.calculates ||= inside.calculates;
    this.script.writes ||= inside.writes;
    this.script.isLost ||= inside.isLost;
  }

  /** `$'…'` is read by some shells only, and each of them ends it elsewhere where a backslash stands before a quote. */
  private escapedText(): void {
    this.refusing("in $'…'", () => this.single());
    if (this.text[this.at - 2] === '\\') this.lose("behind $'…' with a quote behind a backslash");
  }

  private comment(): void {
    while (this.at < this.text.length && this.text[this.at] !== '\n') {
      if (this.isAtToken()) this.place({ kind: 'comment' });
      else this.at++;
    }
  }

  /** Returns whether the next word is what the command is redirected to. */
  private redirection(): boolean {
    const rest = this.text.slice(this.at, this.at + 3);
    if (/^[<>]\\\n/.test(rest)) this.lose('behind a redirection that the next line continues');
    else if (rest === '<<<') this.at += 3;
    else if (rest.startsWith('<<')) {
      this.announce(rest === '<<-');
      return false;
    } else if (/^[<>]\(/.test(rest)) {
      this.at += 2;
      this.nested(() => this.commands(true));
      this.endOfPart();
      return false;
    } else this.at += /^(?:>>|>\||[<>]&|<>)/.test(rest) ? 2 : 1;
    return true;
  }

  private announce(stripsTabs: boolean): void {
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
    this.announced.push({ delimiter, stripsTabs, isQuoted: /['"\\]/.test(written) });
  }

  /** Reads the here-documents that begin on this line. */
  private documents(isInside: boolean): void {
    const announced = this.announced;
    this.announced = [];
    for (const document of announced) this.document(document, isInside);
  }

  private document(document: Announced, isInside: boolean): void {
    const { delimiter, isQuoted } = document;
    const end = this.endOf(document, isInside);
    if (!end) return this.lose('in a here-document whose end line is missing, or behind it');
    const { to, next, isJoined } = end;
    if (isQuoted) this.refuseUntil(to, 'in a here-document with a quoted delimiter');
    while (this.at < to) {
      const sign = this.text[this.at]!;
      if (this.isAtToken()) this.place({ kind: 'document', delimiter, afterName: this.at === this.nameEnd });
      else if (sign === '\\') this.escape();
      else if (sign === '$' || sign === '`') this.expansion('document');
      else this.at++;
    }
    const isEndKnown = this.at <= to && !isJoined;
    this.at = Math.max(this.at, next);
    if (!isEndKnown) this.lose('behind a here-document whose end is not known');
  }

  /**
   * Where the text of a here-document ends, and where the script goes on. Shells differ about lines that are joined.
   * `undefined` without a line that is the delimiter alone: inside of `$( )` bash takes one with a parenthesis for it.
   */
  private endOf({ delimiter, stripsTabs, isQuoted }: Announced, isInside: boolean): DocumentEnd | undefined {
    let isJoined = false;
    for (let from = this.at; from < this.text.length;) {
      const newline = this.text.indexOf('\n', from);
      const end = newline === -1 ? this.text.length : newline;
      const written = this.text.slice(from, end);
      const line = stripsTabs ? written.replace(/^\t+/, '') : written;
      if (line === delimiter) return { to: from, next: Math.min(end + 1, this.text.length), isJoined };
      if (isInside && line.startsWith(delimiter) && line.includes(')')) return undefined;
      isJoined ||= !isQuoted && line.endsWith('\\');
      from = end + 1;
    }
    return undefined;
  }

  private sign(): string {
    return this.text[this.at] ?? '';
  }

  private isAtToken(): boolean {
    return this.tokens[this.places.length]?.from === this.at;
  }

  private place(place: TokenPlace): void {
    this.at = this.tokens[this.places.length]!.to;
    this.inWord.push(this.places.length);
    this.places.push(place);
  }

  /** Passes over what is read as something else than a text. */
  private refuseUntil(end: number, why: string): void {
    while ((this.tokens[this.places.length]?.from ?? end) < end) this.place(unknown(why));
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

  /** From here on no place is known, nor what is done there with what stands before. */
  private lose(why: string): void {
    const rest = this.text.slice(this.at);
    this.script.unread.push(rest);
    this.script.isLost ||= /\S/.test(rest);
    this.refuseUntil(this.text.length, why);
    this.announced = [];
  }
}

function unknown(why: string, fix?: string): TokenPlace {
  return fix === undefined ? { kind: 'unknown', why } : { kind: 'unknown', why, fix };
}
