// Throws broken sources at the language: whatever comes, it answers with a graph or with errors that point into a text,
// soon, and formats what it can read to a fixed point. `npm run build && node test/fuzz/language.mjs [runs] [seed]`
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const { compile, compileCondition, format } = await import('../../dist/libs/language/src/index.js');

const [, , runs = '100000', seed = '1'] = process.argv;
const SLOW_MS = 250;
const PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '->',
    '=',
    ';',
    ',',
    '"',
    '\\',
    '/*',
    '*/',
    '//',
    '{{',
    '}}',
    '{%',
    '%}',
    '{#',
    '\0',
    '\ud800',
  ],
  ...['digraph', 'subgraph', 'node', 'edge', 'graph', 'strict', '__proto__', 'true', '5m', '-1', '1.5', 'é', '\n'],
  ...['import="shared/x.dot"', 'prompt="@x.md"', 'label=', 'condition="', 'shape=house', 'shape=component'],
  ...['stack.child_dot_source="digraph C { start; exit; start -> exit }"', '{% include "prompts/a.md" %}'],
];
const examples = readExamples('examples');
const sources = [...examples].filter(([name]) => name.endsWith('.dot')).map(([, text]) => text);
sources.push(
  'digraph W { start; exit; a [label=A]; start -> a -> exit }',
  'digraph W { model_stylesheet="* {model: a} .x {model: b}" start; exit; start -> exit }',
  'digraph W { start; exit; a [prompt="{% for i in range(3) %}{{ i }}{% endfor %} {{ goal }}"]; start -> a -> exit }',
  'digraph W { start; exit; f [shape=component]; a; j [shape=tripleoctagon]; start -> f -> a -> j -> exit; f -> j }',
);
const dice = diceOf(Number(seed));
const below = (limit) => Math.floor(dice() * limit);
const oneOf = (list) => list[below(list.length)];

let graphs = 0;
let slowest = 0;
for (let run = 0; run < Number(runs); run++) {
  const source = broken(oneOf(sources));
  const start = performance.now();
  try {
    graphs += check(source);
  } catch (thrown) {
    console.error(`Run ${run}: ${thrown.stack}\n${JSON.stringify(source)}`);
    process.exit(1);
  }
  slowest = Math.max(slowest, performance.now() - start);
  if (performance.now() - start > SLOW_MS) console.error(`Run ${run} is slow: ${JSON.stringify(source)}`);
  if (run % 100_000 === 99_999) console.log(`${run + 1} runs`);
}
console.log(`${runs} runs from seed ${seed}: ${graphs} graphs, no fault, the slowest ${Math.round(slowest)} ms`);

function check(source) {
  const scope = { inputs: { x: 1, name: 'n' }, vars: {}, undefinedIs: 'error' };
  const options = { path: 'workflow.dot', files: examples, ...(dice() < 0.8 && { scope }) };
  const { graph, diagnostics } = compile(source, options);
  if (!graph && !diagnostics.some(({ severity }) => severity === 'error')) throw new Error('Neither graph nor error.');
  if (graph) JSON.stringify(graph);
  for (const { path: file, range, message } of diagnostics) {
    const text = file === 'workflow.dot' ? source : examples.get(file);
    const points = range.start.offset <= range.end.offset && range.end.offset <= text.length;
    if (!points || !message.endsWith('.')) throw new Error(`Not a good diagnostic: ${message}`);
  }
  const formatted = format(source).text;
  if (formatted !== undefined && format(formatted).text !== formatted) throw new Error('Formatting twice differs.');
  try {
    compileCondition(source.slice(0, 60));
  } catch (thrown) {
    if (thrown.constructor.name !== 'ConditionSyntaxError') throw thrown;
  }
  return graph ? 1 : 0;
}

function broken(text) {
  for (let blows = 1 + below(4); blows > 0; blows--) {
    const at = below(text.length + 1);
    const [head, tail] = [text.slice(0, at), text.slice(at)];
    text = oneOf([
      () => head + oneOf(PIECES) + tail,
      () => head + tail.slice(1 + below(10)),
      () => head + text.slice(below(text.length + 1)).slice(0, 80) + tail,
      () => head + String.fromCharCode(below(dice() < 0.9 ? 128 : 65_536)) + tail.slice(1),
      () => head + oneOf(sources).slice(below(1_000)).slice(0, 200) + tail,
      () => head,
    ])();
  }
  return text;
}

/** The files of all examples by their path in the example's folder. */
function readExamples(folder) {
  const files = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile())
      files.set(path.relative(folder, file).split(path.sep).slice(1).join('/'), readFileSync(file, 'utf8'));
  }
  return files;
}

/** Mulberry32: the same seed throws the same. */
function diceOf(start) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
