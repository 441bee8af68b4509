// The language against parsers of DOT, on sources of 10 to 10,000 nodes: ours parses, resolves, builds and validates, the
// others only parse. And how often a condition can be asked. `node bench/language.mjs [rounds]`
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { instance } from '@viz-js/viz';
import { parse as parseTs } from '@ts-graphviz/ast';
import parseDot from 'dotparser';
import { median, print, round } from './support/stats.mjs';

const { compile, compileCondition, evaluate } = await import('../dist/libs/language/src/index.js');

const OURS = 'runyard: parse, validate, compile';
const FLOOR = 'one regular expression over all tokens';
const SIZES = [10, 100, 1_000, 10_000];
const viz = await instance();
const parsers = {
  [OURS]: (source) => {
    const { graph, diagnostics } = compile(source);
    if (!graph) throw new Error(diagnostics[0].message);
  },
  '@viz-js/viz: read and write': (source) => viz.render(source, { format: 'dot', engine: 'nop2' }),
  'dotparser: parse': (source) => parseDot(source),
  '@ts-graphviz/ast: parse': (source) => parseTs(source, { maxASTNodes: 1e9, maxInputSize: 1e9 }),
  [FLOOR]: (source) => {
    for (const token of source.matchAll(/"(?:[^"\\]|\\.)*"|->|[\w.]+|[[\]{};=,]/g)) if (!token) throw new Error();
  },
};

const [, , argument] = process.argv;
if (Object.hasOwn(parsers, argument)) console.log(JSON.stringify(timesOf(parsers[argument])));
else compare(Number(argument ?? 5));

/** Each parser has a process of its own in every round, so that none pays for the litter of another. */
function compare(rounds) {
  const times = Object.fromEntries(Object.keys(parsers).map((name) => [name, []]));
  for (let done = 0; done < rounds; done++) {
    for (const name of Object.keys(parsers)) {
      times[name].push(
        JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name], { encoding: 'utf8' })),
      );
    }
  }
  const settled = (name, nodes) => median(times[name].map((time) => time[nodes]));
  const peers = Object.keys(parsers).filter((name) => name !== OURS && name !== FLOOR);
  const fastest = Math.min(...peers.map((name) => settled(name, 10_000)));
  print(
    'Sources of n nodes',
    Object.keys(parsers).map((name) => ({
      parser: name,
      ...Object.fromEntries(SIZES.map((nodes) => [`ms at ${nodes}`, round(settled(name, nodes), 3)])),
      'nodes/s at 10000': Math.round(1e7 / settled(name, 10_000)),
      'growth from 1000': round(settled(name, 10_000) / settled(name, 1_000), 1),
    })),
    [`Ours at 10,000 nodes: ${round(fastest / settled(OURS, 10_000))} times the fastest of the others.`],
  );
  print(
    'Conditions, asked on one core',
    [
      'outcome=succeeded',
      'outcome=succeeded && context.tests.failed>2 || lang=py',
      'labels contains ui',
      'lang matches ^t',
    ].map((text) => ({ condition: text, 'per second': perSecond(compileCondition(text)) })),
  );
}

/** Median milliseconds by size, after a warm-up of a third. */
function timesOf(parse) {
  return Object.fromEntries(
    SIZES.map((nodes) => {
      const source = workflow(nodes);
      const times = Array.from({ length: Math.max(24, 2_000 / nodes) }, () => {
        const start = performance.now();
        parse(source);
        return performance.now() - start;
      });
      return [nodes, median(times.slice(times.length / 3))];
    }),
  );
}

function perSecond(condition, count = 1_000_000) {
  const context = new Map([
    ['tests.failed', 3],
    ['lang', 'ts'],
    ['labels', ['bug', 'ui']],
  ]);
  const scope = { outcome: 'succeeded', preferredLabel: '', lookup: (key) => context.get(key) };
  const start = performance.now();
  for (let asked = 0; asked < count; asked++) if (!evaluate(condition, scope)) throw new Error(condition.text);
  return Math.round((count / (performance.now() - start)) * 1_000);
}

/** Agents, commands and gates with what authors usually write on them, and 1.1 edges a node. */
function workflow(nodes) {
  const lines = ['digraph wf {', '  graph [goal="bench", rankdir=LR]', '  start [shape=Mdiamond, label="Start"]'];
  lines.push('  exit [shape=Msquare, label="Exit"]', '  start -> n0');
  for (let at = 0; at < nodes; at++) {
    const next = at + 1 < nodes ? `n${at + 1}` : 'exit';
    if (at % 10 === 9) {
      lines.push(`  n${at} [shape=diamond, label="Gate ${at}?"]`, `  n${at} -> ${next} [label="yes"]`);
      lines.push(`  n${at} -> n${at - 5} [label="no", condition="outcome=failed"]`);
      continue;
    }
    if (at % 3 === 0) {
      lines.push(
        `  n${at} [shape=parallelogram, label="Run ${at}", script="echo ${at}", timeout="30s", max_retries=2]`,
      );
    } else {
      lines.push(
        `  n${at} [label="Step ${at}", prompt="Do thing ${at} for the \\"goal\\" and report", timeout="900s"]`,
      );
    }
    lines.push(`  n${at} -> ${next}`);
  }
  return `${lines.join('\n')}\n}\n`;
}
