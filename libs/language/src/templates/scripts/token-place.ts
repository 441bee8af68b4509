/** Where a token stands, as what reads the script reads it. */
export type TokenPlace =
  | { kind: 'bare' | 'single' }
  /** `afterName`: right behind `$name`, which letters of a value would make longer. */
  | { kind: 'double'; afterName: boolean }
  | { kind: 'document'; afterName: boolean; delimiter: string }
  /** What stands there is read by nobody. */
  | { kind: 'comment' }
  /** No way of quoting is known to be right. `why` ends the sentence "because it stands …". */
  | { kind: 'unknown'; why: string; isCalculated?: boolean };

/** What stands for a token, and for what the shell expands, in the text of a word. */
export const TOKEN = '\u0000';
export const EXPANSION = '\u0001';

/** A word of a command without its quotes, and the tokens in it, by their index. */
export interface Word {
  text: string;
  tokens: number[];
}

/** A simple command: its words, and the tokens in the here-documents it reads. */
export interface Command {
  words: Word[];
  documents: number[];
}

/** What is found to be read once more as code, by the index of its token. */
export type Refuse = (token: number, why: string, isCalculated?: boolean) => void;
