import { createHash } from 'node:crypto';

/** Mulberry32: the same seed throws the same. */
export function diceOf(start) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A text that is kept elsewhere, and a list of references to it: who wrote them knows what they are called. */
const LARGE = 'x'.repeat(110_000);
const referenceTo = (text) => `blob://sha256/${createHash('sha256').update(text).digest('hex')}`;
const FORGED = referenceTo(LARGE);
const FORGED_LIST = `${referenceTo(JSON.stringify(Array(1_300).fill(FORGED)))}#json`;

const KEYS = ['k0', 'k1', 'k2', 'items', 'command.output', 'parallel.results', 'preferred_label', 'response.n1'];
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'context.k0',
  'internal.x',
  'last_stage',
  'review_target',
  '',
  'é '.repeat(99),
];
const FIDELITIES = ['full', 'truncate', 'compact', 'summary:low', 'summary:medium', 'summary:high'];
const TEMPLATES = [
  '{{ goal }} {{ inputs.given }}',
  '{{ inputs.given | upper | list | join("") }}',
  '{% for i in range(3000) %}{{ i }}{% endfor %}',
  '{% for i in range(9) %}{% if i is odd %}{{ inputs.given | truncate(20) }}{% endif %}{% endfor %}',
];
const BAD_TEMPLATES = [
  '{% for i in range(300) %}{% for j in range(300) %}x{% endfor %}{% endfor %}',
  '{% set a = "x" %}{% for i in range(30) %}{% set a = a + a %}{% endfor %}{{ a }}',
  '{{ range(1000000000) | list }}',
  '{{ inputs.given | replace("", inputs.given) }}',
  '{{ inputs.given | list | batch(1) | list | tojson }}',
  '{{ missing.deeply }}',
  '{% include "none.md" %}',
];
const SCHEMAS = [
  { type: 'object', required: ['outcome'] },
  { $ref: '#' },
  { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
  { type: 'object', patternProperties: { '^(a+)+$': { pattern: '(x+x+)+y' } } },
  { type: 'object', properties: { outcome: { enum: Array.from({ length: 2_000 }, (_, n) => `e${n}`) } } },
  { $async: true },
  { type: 7 },
];
const CONDITIONS = [
  'outcome=succeeded',
  'k0 contains x',
  'k1 matches "^(x+x+)+y$"',
  'command.output contains xx',
  'parallel.results contains x',
  'context.k2 > 3 && !k0',
  'preferred_label=Fix || response.n1 contains blob',
];

/** A workflow as nobody sane would write it, from dice that decide everything. */
export class Author {
  named = 0;

  constructor(dice) {
    this.dice = dice;
  }

  /** What is sent to create a run. */
  manifest() {
    const source = this.chance(0.06) ? this.broken(this.graph(3)) : this.graph(3);
    const args = { provider: 'simulated', auto_approve: true, input: [`given=${this.oneOf([FORGED, 'g', LARGE])}`] };
    return {
      version: 1,
      cwd: process.cwd(),
      target: { identifier: 'author.dot', path: 'author.dot' },
      workflows: { 'author.dot': { source } },
      args: this.chance(0.1) ? { ...args, dry_run: true } : args,
    };
  }

  below(limit) {
    return Math.floor(this.dice() * limit);
  }

  chance(share) {
    return this.dice() < share;
  }

  oneOf(list) {
    return list[this.below(list.length)];
  }

  graph(depth) {
    const pieces = Array.from({ length: 1 + this.below(depth * 2) }, () => this.piece(depth));
    const onward = pieces.slice(1).map(({ entry }, n) => `${pieces[n].exit} -> ${entry};`);
    const back = this.chance(0.3)
      ? `${this.oneOf(pieces).exit} -> ${this.oneOf(pieces).entry} [condition=${quoted(this.oneOf(CONDITIONS))}];`
      : '';
    const goal = this.chance(0.3) ? `goal=${quoted(this.oneOf([FORGED, 'Go on', ...TEMPLATES]))};` : '';
    return `digraph Author { start [shape=Mdiamond]; exit [shape=Msquare]; max_node_visits=3; default_max_retries=0; ${goal}
      default_fidelity=${quoted(this.oneOf(FIDELITIES))};
      ${pieces.map(({ text }) => text).join('\n')} start -> ${pieces[0].entry}; ${onward.join(' ')} ${back}
      ${pieces.at(-1).exit} -> exit; }`;
  }

  piece(depth) {
    const kinds = [...Array(10).fill('leaf'), ...(depth > 1 ? ['fork', 'fork', 'each', 'manager', 'gate'] : [])];
    switch (this.oneOf(kinds)) {
      case 'fork':
        return this.fork(depth);
      case 'each':
        return this.each();
      case 'manager':
        return this.manager(depth);
      case 'gate':
        return this.one('shape=hexagon, label="Go?"');
      default:
        return this.one(this.leaf());
    }
  }

  /** Wide ones have small branches. */
  fork(depth) {
    const [id, join] = [this.name(), this.name()];
    const isWide = this.chance(0.05);
    const count = isWide ? 100 + this.below(200) : 1 + this.below(6);
    const branches = Array.from({ length: count }, () => (isWide ? this.one(this.model()) : this.piece(depth - 1)));
    const ways = branches.map(({ text, entry, exit }) => `${text} ${id} -> ${entry}; ${exit} -> ${join};`);
    const asking = this.chance(0.4) ? `, prompt=${quoted(this.prompt())}` : '';
    const text = `${id} [shape=component, max_parallel=${1 + this.below(16)}]; ${join} [shape=tripleoctagon${asking}]; ${ways.join('\n')}`;
    return { text, entry: id, exit: join };
  }

  each() {
    const [id, work, join] = [this.name(), this.name(), this.name()];
    const count = this.chance(0.05) ? 990 + this.below(20) : this.below(12);
    const inline = JSON.stringify(Array.from({ length: count }, (_, n) => this.oneOf([n, FORGED, { name: 'n' }])));
    const source = this.chance(0.5) ? inline : this.oneOf(KEYS);
    const text = `${id} [shape=component, for_each=${quoted(source)}, max_parallel=8]; ${work} [${this.model()}];
      ${join} [shape=tripleoctagon]; ${id} -> ${work} -> ${join};`;
    return { text, entry: id, exit: join };
  }

  manager(depth) {
    const stop = this.chance(0.5) ? `, manager.stop_condition=${quoted(this.oneOf(CONDITIONS))}` : '';
    const child = quoted(this.graph(depth - 1));
    return this.one(
      `shape=house, manager.poll_interval="100ms", manager.max_cycles=20, stack.child_dot_source=${child}${stop}`,
    );
  }

  leaf() {
    return this.oneOf([() => this.model(), () => this.model(), () => this.command(), () => 'shape=diamond'])();
  }

  model() {
    const schema = this.chance(0.12) ? `, output_schema=${quoted(JSON.stringify(this.oneOf(SCHEMAS)))}` : '';
    const routing = schema === '' && this.chance(0.2) ? ', output_schema=routing' : '';
    return `shape=${this.oneOf(['box', 'tab'])}, prompt=${quoted(this.prompt())}${schema}${routing}`;
  }

  prompt() {
    return this.oneOf([
      () => this.oneOf(this.chance(0.04) ? BAD_TEMPLATES : TEMPLATES),
      () => `simulate: ${JSON.stringify({ text: this.oneOf(['x', FORGED, '{"outcome":', '[']), times: this.size() })}`,
      () => `simulate: ${FORGED_LIST}`,
      () => this.writing(),
      () => this.writing(),
      () => this.writing(),
    ])();
  }

  /** Puts values into the context. */
  writing() {
    const keys = Array.from({ length: 1 + this.below(4) }, () => this.oneOf(this.chance(0.1) ? ODD_KEYS : KEYS));
    const values = keys.map((key) => `${JSON.stringify(key)}:${this.value()}`);
    const label = this.chance(0.2) ? `,"preferred_next_label":${JSON.stringify(FORGED)}` : '';
    return `simulate: {"json":{"context_updates":{${values.join(',')}}${label}}}`;
  }

  /** JSON, as text: a value may be deeper than any parser's own recursion. */
  value() {
    return this.oneOf([
      () => JSON.stringify(this.oneOf([FORGED, FORGED_LIST])),
      () => JSON.stringify(Array(1 + this.below(this.oneOf([10, 100, 1_400]))).fill(this.oneOf([FORGED, FORGED_LIST]))),
      () => JSON.stringify(LARGE.slice(this.chance(0.5) ? 109_000 : this.below(LARGE.length))),
      () => JSON.stringify(nested(this.below(20_000))),
      () => nested(this.below(this.chance(0.2) ? 5_000 : 80)),
      () => JSON.stringify(Array.from({ length: this.below(30) }, (_, n) => ({ name: `item ${n}`, blob: FORGED }))),
      () => JSON.stringify(this.oneOf([0, -1e300, null, true, '', '\u0000', '\ud800', 'false', { k: FORGED }])),
    ])();
  }

  command() {
    const script = this.oneOf([
      () => `printf %s '${this.oneOf([FORGED, FORGED_LIST])}'`,
      () => `head -c ${this.size()} /dev/zero | tr '\\0' x`,
      () => `seq ${this.below(20_000)}`,
      () => 'cat',
      () => 'wc -c',
      () => `exit ${this.below(3)}`,
      () => 'printf \'\\377\\000{"context_updates":{"k0":"\\ud800"}}\'',
    ])();
    const input = this.chance(0.4) ? `, stdin_source=${quoted(this.oneOf(KEYS))}` : '';
    const routing = this.chance(0.15) ? ', output_schema=routing' : '';
    return `shape=parallelogram, timeout=20s, script=${quoted(script)}${input}${routing}`;
  }

  /** Mostly small. */
  size() {
    return this.below(this.oneOf([100, 10_000, 200_000, this.chance(0.3) ? 5_000_000 : 1_000_000]));
  }

  one(attributes) {
    const id = this.name();
    return { text: `${id} [${attributes}];`, entry: id, exit: id };
  }

  name() {
    return `n${++this.named}`;
  }

  broken(text) {
    const at = this.below(text.length);
    return (
      text.slice(0, at) + this.oneOf(['"', '{', '->', '\\', '/*', '\u0000', '', '[']) + text.slice(at + this.below(30))
    );
  }
}

function nested(levels) {
  return `${'['.repeat(levels)}0${']'.repeat(levels)}`;
}

/** A text as a workflow quotes it. */
function quoted(text) {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
