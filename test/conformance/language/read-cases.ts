import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type InputValue } from '#libs/language';

const FOLDER = 'test/conformance/language';

/** One case: a source with what belongs to it, and what it means. */
export interface Case {
  title: string;
  source: string;
  /** Only statements were written; what is said about nodes nobody leads to is not looked at. */
  isBody: boolean;
  files: Map<string, string>;
  given: Given;
  /** One expectation each. */
  meaning: string[];
}

/** What a run brings along. */
export interface Given {
  inputs?: Record<string, InputValue>;
  vars?: Record<string, string>;
  undefinedIs?: 'warning' | 'error';
  goal?: string;
  /** The names of models by their provider; without it, none is doubted. */
  models?: Record<string, string[]>;
}

/** What a chapter says: cases as rows of tables and as fenced blocks, conditions as rows. */
export interface Chapter {
  name: string;
  cases: Case[];
  conditions: { condition: string; holds: string }[];
}

/** The chapters in their order. Throws at a row or a block that it does not understand, so that none is passed over. */
export function chapters(): Chapter[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => readChapter(name.replace(/\.md$/, ''), readFileSync(path.join(FOLDER, name), 'utf8')));
}

const PART = /^```(?<kind>\w+) ?(?<argument>.*)\n(?<content>[^]*?)^```$|^\|(?<row>.*)\|$|^#+ (?<title>.*)$/gm;

function readChapter(name: string, text: string): Chapter {
  const chapter: Chapter = { name, cases: [], conditions: [] };
  let heading = '';
  let column = '';
  for (const { groups } of text.matchAll(PART)) {
    const { kind, argument = '', content = '', row, title } = groups!;
    if (title !== undefined) heading = title;
    else if (kind !== undefined) readBlock(chapter, heading, kind, argument, content);
    else if (row!.includes('`')) readRow(chapter, column, cellsOf(row!));
    else if (!row!.startsWith('-')) column = cellsOf(row!)[0]!;
  }
  return chapter;
}

function readRow({ cases, conditions }: Chapter, column: string, [first = '', second = '', ...more]: string[]): void {
  if (more.length > 0 || second === '') throw new Error(`Not two cells: ${first}`);
  if (column === 'Condition') conditions.push({ condition: first, holds: second });
  else cases.push(caseOf(first, first, column === 'Statements', expectationsIn(second)));
}

function readBlock({ cases }: Chapter, heading: string, kind: string, argument: string, content: string): void {
  if (kind === 'dot') {
    cases.push(caseOf(heading, content, argument === 'statements', []));
    return;
  }
  const open = cases.at(-1);
  if (kind === 'file') open!.files.set(argument, content.replace(/\n$/, ''));
  else if (kind === 'given') open!.given = JSON.parse(content) as Given;
  else if (kind === 'meaning') open!.meaning = content.trim().split('\n');
  else throw new Error(`Not a kind of block: ${kind}`);
}

/** Separated by semicolons outside of texts. */
function expectationsIn(meaning: string): string[] {
  return Array.from(meaning.matchAll(/(?:"(?:[^"\\]|\\.)*"|[^";])+/g), ([expectation]) => expectation.trim());
}

/** A cell is code; a bar inside of it is written `\|`. */
function cellsOf(row: string): string[] {
  return row.split(/(?<!\\)\|/).map((cell) =>
    cell
      .trim()
      .replaceAll('\\|', '|')
      .replace(/^`+ ?| ?`+$/g, ''),
  );
}

function caseOf(title: string, written: string, isBody: boolean, meaning: string[]): Case {
  const source = isBody ? `digraph W { start; exit; start -> exit\n${written}\n}` : written;
  return { title, source, isBody, files: new Map(), given: {}, meaning };
}
