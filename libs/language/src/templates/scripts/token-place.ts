/** Where a token stands, as what reads the script reads it. */
export type TokenPlace =
  | { kind: 'bare' | 'single' }
  /** `afterName`: right behind `$name`, which letters of a value would make longer. */
  | { kind: 'double'; afterName: boolean }
  | { kind: 'document'; afterName: boolean; delimiter: string }
  /** What stands there is read by nobody. */
  | { kind: 'comment' }
  /** The value could become code there. `why` ends the sentence "because it stands …". */
  | { kind: 'unknown'; why: string; fix?: string };

/** What stands for a token, and for what the shell expands, in the text of a word. */
export const TOKEN = '\u0000';
export const EXPANSION = '\u0001';

/** A word of a command without its quotes, and the tokens in it, by their index. */
export interface Word {
  text: string;
  tokens: number[];
  /** An expansion outside of double quotes, or `"$@"`, may make several words of it, or none. */
  splits: boolean;
}

/** A simple command. */
export interface ShellCommand {
  words: Word[];
  /** Words that the command does not get: where it is redirected to, and what arrays hold. */
  others: Word[];
}

/** What a script tells beside the places of its tokens. */
export interface ReadScript {
  places: TokenPlace[];
  commands: ShellCommand[];
  /** The names of arrays. */
  arrays: Set<string>;
  /** Parts that are not read as commands: what stands in back-ticks, and behind a place where shells differ. */
  unread: string[];
  /** The shell evaluates what variables hold: in arithmetic, in subscripts, in `${!x}`. */
  calculates: boolean;
  /** Something is redirected to or from a file. */
  writes: boolean;
  /** How a part of it is read is not known. */
  isLost: boolean;
}
