// Looks for three mistakes that reviews miss: broken relative links in Markdown, JSON that cannot be read, and the
// marks of an unfinished merge. Prints every finding and exits 1 when there is one.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git']);
const LINK = /\]\((?![a-z]+:|#|\/)([^)#\s]+)/g;
const MERGE_MARK = /^(<{7} |>{7} )/m;

function* filesIn(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* filesIn(file);
    else if (entry.isFile() && /\.(md|json|[cm]?[jt]s|sql|dot)$/.test(entry.name)) yield file;
  }
}

function* problemsIn(file) {
  const text = readFileSync(file, 'utf8');
  if (MERGE_MARK.test(text)) yield 'holds the mark of a merge';
  if (file.endsWith('.json') && !isJson(text)) yield 'is no JSON';
  if (!file.endsWith('.md')) return;
  for (const [, link] of text.matchAll(LINK)) {
    if (!existsSync(path.join(path.dirname(file), decodeURIComponent(link))))
      yield `links to ${link}, which is missing`;
  }
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const files = [...filesIn('.')];
const problems = files.flatMap((file) => [...problemsIn(file)].map((problem) => `${file} ${problem}`));
for (const problem of problems) console.log(problem);
console.log(`${files.length} files checked, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
