import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = 'test/conformance/language';

/** One case: a source with what belongs to it, and what it means. */
export interface Case {
  title: string;
  source: string;
  /** Only statements were written; what is said about nodes nobody leads to is not looked at. */
  isBody: boolean;
  files: Map<string, string>;
  inputs: Record<string, string | number | boolean>;
  /** One expectation each. */
  meaning: string[];
}

/** What a chapter says: cases as rows of tables (`Statements` or `Source`, and `Meaning`), and as fenced blocks. */
export interface Chapter {
  name: string;
  cases: Case[];
  conditions: { condition: string; holds: string }[];
}

export function chapters(): Chapter[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => readChapter(name, readFileSync(path.join(FOLDER, name), 'utf8')));
}

function readChapter(name: string, text: string): Chapter {
  const chapter: Chapter = { name: name.replace(/\.md$/, ''), cases: [], conditions: [] };
  let columns = '';
  let heading = '';
  let open: Case | undefined;
  for (const block of text.matchAll(/^```(\w+)[ ]?(.*)\n([^]*?)^```$|^(\|.*)$|^#+ (.*)$/gm)) {
    const [, kind, argument = '', content = '', row, title] = block;
    if (title !== undefined) heading = title;
    else if (row !== undefined) {
      const cells = row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('\\|', '|'));
      const [first = '', second = ''] = cells.map((cell) => cell.replace(/^`+ ?| ?`+$/g, ''));
      if (!row.includes('`')) columns = first === '' || first.startsWith('-') ? columns : first;
      else if (columns === 'Condition') chapter.conditions.push({ condition: first, holds: second });
      else chapter.cases.push(caseOf(first, first, second.split('; '), columns === 'Statements'));
    } else if (kind === 'dot') {
      open = caseOf(heading, content, [], argument === 'statements');
      chapter.cases.push(open);
    } else if (open && kind === 'file') open.files.set(argument, content.replace(/\n$/, ''));
    else if (open && kind === 'inputs') open.inputs = JSON.parse(content) as Case['inputs'];
    else if (open && kind === 'meaning') open.meaning = content.trim().split('\n');
  }
  return chapter;
}

function caseOf(title: string, written: string, meaning: string[], isBody: boolean): Case {
  const source = isBody ? `digraph W { start; exit; start -> exit\n${written}\n}` : written;
  return { title: title.replaceAll('\n', ' '), source, isBody, files: new Map(), inputs: {}, meaning };
}
