import { Environment } from '@huggingface/jinja';
import { describe, expect, it } from '@jest/globals';
import { Bundle } from '../../bundle/bundle.js';
import { Sources } from '../../source/sources.js';
import { globals } from './globals.js';
import { render, type Rendered } from './render.js';
import { TemplateLibrary } from './template-library.js';
import { TemplateText } from './template-text.js';
import { InputsRead } from '../inputs-read.js';
import { TemplateWork } from './template-work.js';

const files = new Map([
  ['main.md', ''],
  ['name.md', 'I am {{ inputs.name }}.\n'],
  ['parts/greeting.md', 'Hello, {% include "../name.md" %}'],
  ['item.md', '<{{ item }}>{% set item = "changed" %}'],
  ['circle.md', '{% include "parts/back.md" %}'],
  ['parts/back.md', '{% if false %}{% include "../circle.md" %}{% endif %}'],
  ['broken.md', 'fine\n{{ 1 + }}'],
]);
const inputs = { name: 'Ann', count: 5, share: 1.5, agreed: true, 'my-key': 'k', words: 'a b c', __proto__: 'p' };

/** Less than a compilation has, so that nobody waits for the bombs. */
const WORK = 4 * 1024 * 1024;

function renderText(text: string, unknown: string[] = []): Rendered {
  const work = new TemplateWork(WORK);
  const library = new TemplateLibrary(new Bundle(files, new Sources()), work, new InputsRead());
  const source = new TemplateText(text, 'main.md', (start, end) => ({ start, end }));
  const environment = new Environment(globals());
  environment.set('goal', 'Ship it');
  if (unknown.length === 0) environment.set('inputs', inputs);
  const template = library.read(source);
  return render(source, template, { environment, unknown: new Set(unknown), tags: library.tags, work });
}

/** What a template is found to name although nothing defines it, with the place where it stands. */
function undefinedIn(text: string): string[] {
  return [...renderText(text).undefinedNames].map(([name, { start, end }]) => `${name}: ${text.slice(start, end)}`);
}

describe('a template', () => {
  it.each([
    ['Do {{ goal }} for {{ inputs.name }}.', 'Do Ship it for Ann.'],
    ['{{ inputs.count }} {{ inputs.share }} {{ inputs.agreed }} {{ 10 / 5 }} {{ none }}', '5 1.5 true 2.0 none'],
    ['{{ inputs["my-key"] }} {{ inputs["na" ~ "me"] }}', 'k Ann'],
    ['{% if inputs.count > 4 %}many{% elif inputs.count %}few{% else %}none{% endif %}', 'many'],
    [
      '{% for w in inputs.words.split() %}{{ loop.index }}{{ w }}{% if not loop.last %}, {% endif %}{% endfor %}',
      '1a, 2b, 3c',
    ],
    ['{% for x in range(5) if x is odd %}{{ x }}{% else %}-{% endfor %}', '13'],
    ['{% for k, v in {"a": 1}.items() %}{{ k }}={{ v }}{% endfor %}', 'a=1'],
    ['{% for c in "hé😀" %}[{{ c }}]{% endfor %}', '[h][é][😀]'],
    ['{% set x = 2 %}{% set y %}<{{ x }}>{% endset %}{{ y * x }}', '<2><2>'],
    ['{% set n = namespace(sum=0) %}{% for i in range(4) %}{% set n.sum = n.sum + i %}{% endfor %}{{ n.sum }}', '6'],
    ['{% macro tag(x, y="q") %}<{{ x }}{{ y }}>{% endmacro %}{{ tag(1) }}{{ tag(1, y=2) }}', '<1q><12>'],
    ['{% macro box() %}[{{ caller() }}]{% endmacro %}{% call box() %}in{% endcall %}', '[in]'],
    ['{% filter upper %}loud {{ goal }}{% endfilter %}', 'LOUD SHIP IT'],
    ['{% with x = 1, y = [2, 3] %}{{ x }}{{ y[1] }}{% endwith %}{{ x is defined }}', '13false'],
    ['{% set x = 1 %}{% with x = 2, y = x %}{{ x }}{{ y }}{% set x = 3 %}{% endwith %}{{ x }}', '211'],
    ['{% with %}{% set x = 1 %}{{ x }}{% endwith %}{{ x is defined }}', '1false'],
    ['{% with a = "x" if true else "y" %}{% with b = a ~ "z" %}{{ b }}{% endwith %}{% endwith %}', 'xz'],
    [
      '{% for i in range(3) %}{% with x = loop.index %}{% if x == 3 %}{% break %}{% endif %}{{ x }}{% endwith %}{% endfor %}',
      '12',
    ],
    [
      '{% for g in [{"t": "b", "n": 1}, {"t": "a", "n": 2}, {"t": "B", "n": 3}] | groupby("t") %}{{ g.grouper }}{{ g.list | length }} {% endfor %}',
      'a1 b2 ',
    ],
    [
      '{% for key, items in [{"t": 2}, {"t": 1}, {"t": 2}] | groupby("t") %}{{ key }}:{{ items | length }} {% endfor %}',
      '1:1 2:2 ',
    ],
    ['{# {{ nothing }} #}{% raw %}{{ goal }} {# #}{% endraw %}', '{{ goal }} {# #}'],
    ['a  {%- if true -%}  b  {%- endif %}  c', 'ab  c'],
    ['a\n{%- raw -%}  {{ x }}  {%- endraw -%}  b {#- -#} c', 'a{{ x }}bc'],
    ['{{ {"a": {"b": 1}} }} {{ [1, "x", none, true] }}', '{"a": {"b": 1}} [1, "x", null, true]'],
    ["{{ 'it\\'s' }} {{ \"}}\" }} {{ 'a' 'b' }} {{ '\\d\\n' }}", "it's }} ab \\d\n"],
    ['}} %} #} { {a}', '}} %} #} { {a}'],
    ['{{ goal }}\n', 'Ship it'],
  ])('%j renders as %j', (text, rendered) => {
    expect(renderText(text)).toEqual({ text: rendered, undefinedNames: new Map() });
  });

  it.each([
    ['"heLLo wOrld" | title', 'Hello World'],
    ['"heLLo" | capitalize ~ "|" ~ " x " | trim', 'Hello|x'],
    ['"a-b-c" | replace("-", "+")', 'a+b+c'],
    ['"a\nb\n\nc" | indent(2)', 'a\n  b\n\n  c'],
    ['"a\nb" | indent(width=1, first=true)', ' a\n b'],
    ['"one two three" | truncate(9)', 'one...'],
    ['"one two" | wordcount + "😀" | length', '3'],
    ['"b,a" | split(",") | sort | join("/")', 'a/b'],
    ['["b", "A", "c"] | sort(reverse=true) | join', 'cbA'],
    ['["b", "A"] | sort(case_sensitive=true) | first', 'A'],
    ['[3, 1, 2] | min ~ [3, 1, 2] | max ~ [3, 1, 2] | sum ~ [3, 1] | last', '1361'],
    ['[1, 1, 2] | unique | length', '2'],
    ['[{"n": 1}, {}] | map(attribute="n", default=0) | list', '[1, 0]'],
    ['{"b": 1, "a": 2} | dictsort', '[["a", 2], ["b", 1]]'],
    ['"abc" | reverse ~ [1, 2] | reverse', 'cba[2, 1]'],
    ['-5 | abs ~ " " ~ "7" | int ~ " " ~ "x" | int(9) ~ " " ~ 5 | float ~ " " ~ 2.56 | round(1)', '5 7 9 5.0 2.6'],
    ['{"a": [1, "x"]} | tojson', '{"a":[1,"x"]}'],
    ['none | default("d") ~ none | default("d", true) ~ "" | d("e", boolean=true)', 'nonede'],
    ['"Abc".upper() ~ "Abc".startswith("A") ~ " x ".strip() ~ ",".join(["a", "b"])', 'ABCtruexa,b'],
    ['{"a": 1}.get("a") ~ {"a": 1}.get("b", 2) ~ {"a": 1}.keys() | list', '12["a"]'],
    ['1 == 1.0 and "1" != 1 and [1, {"a": 2}] == [1, {"a": 2}]', 'true'],
    ['"b" > "a" and 3 in [1, 3] and "x" not in "abc" and "k" in {"k": 1}', 'true'],
    ['[1] + [2] ~ "=" * 3 ~ 7 // 2 ~ 7 % 4 ~ 2 ** 3', '[1, 2]===338'],
    ['-7 % 3 ~ " " ~ 7 % -3 ~ " " ~ -7 % -3 ~ " " ~ 7.5 % 2 ~ " " ~ -6 % 3 ~ " " ~ -7 // 3', '2 -2 -1 1.5 0 -3'],
    ['[0, 1, 2, 3] | select("odd") | list ~ [0, 1] | select | list', '[1, 3][1]'],
    [
      '[1, 2, 3] | reject("equalto", 2) | list ~ [1, 2, 3] | select("gt", 1) | list ~ [1, 2] | select(">=", 2) | list',
      '[1, 3][2, 3][2]',
    ],
    ['["a", "b"] | select("in", ["b", "c"]) | list ~ [4, 5] | reject("divisibleby", 2) | list', '["b"][5]'],
    ['[{"n": 1, "on": true}, {"n": 2}] | selectattr("on") | map(attribute="n") | list', '[1]'],
    ['[{"n": 1}, {"n": 2}, {}] | selectattr("n", "equalto", 2) | list | length', '1'],
    ['[{"n": 1}, {}] | rejectattr("n", "defined") | list | length', '1'],
    ['[{"a": {"b": 1}}, {"a": {"b": 2}}] | selectattr("a.b", "lt", 2) | map(attribute="a.b") | list', '[1]'],
    ['("<a href=\\"x\\">&" | escape) ~ ("it\'s" | e)', '&lt;a href=&#34;x&#34;&gt;&amp;it&#39;s'],
    ['[1, 2, 3] | batch(2) | list ~ [1, 2, 3] | batch(2, 0) | list', '[[1, 2], [3]][[1, 2], [3, 0]]'],
    ['[1, 2, 3, 4, 5] | slice(2) | list ~ [1, 2, 3] | slice(2, 0) | list', '[[1, 2, 3], [4, 5]][[1, 2], [3, 0]]'],
    ['"a b/ü!" | urlencode ~ " " ~ {"q": "a&b", "n": 1} | urlencode', 'a%20b/%C3%BC%21 q=a%26b&n=1'],
    ['"one two three four" | wordwrap(9) | replace("\n", "|")', 'one two|three|four'],
    ['"abcdef gh" | wordwrap(3, wrapstring="|") ~ " " ~ "abcdef gh" | wordwrap(3, false, "|")', 'abc|def|gh abcdef|gh'],
    [
      '1 | filesizeformat ~ " " ~ 999 | filesizeformat ~ " " ~ 1500000 | filesizeformat ~ " " ~ 1536 | filesizeformat(true)',
      '1 Byte 999 Bytes 1.5 MB 1.5 KiB',
    ],
    ['"yes" if inputs.agreed else "no"', 'yes'],
    ['"abc"[1:] ~ [1, 2, 3][::-1] ~ "abc"[-1]', 'bc[3, 2, 1]c'],
  ])('{{ %s }} is %j', (expression, rendered) => {
    expect(renderText(`{{ ${expression} }}`).text).toBe(rendered);
  });

  it('sees nothing of the host', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'prototype']) {
      expect(undefinedIn(`{{ goal.${name} }}`)).toEqual([`goal.${name}: goal.${name}`]);
    }
    expect(renderText('{{ inputs["__proto__"] }}').undefinedNames.size).toBe(1);
    expect(undefinedIn('{{ strftime_now }}{{ raise_exception }}{{ process.env }}')).toHaveLength(3);
  });
});

describe('an undefined name', () => {
  it.each([
    ['{{ gone }}', ['gone: gone']],
    ['{{ goal }} {{ inputs.gone.deep[0].x | upper }}', ['inputs.gone: inputs.gone']],
    ['{{ inputs["gone"] }}', ['inputs.gone: inputs["gone"]']],
    ['{{ inputs["go" ~ "ne"] }}', ['inputs.gone: {{ inputs["go" ~ "ne"] }}']],
    ['{{ "gone" ~ gone }} {{ gone }}', ['gone: gone']],
    [
      '{{ a }}{{ b + c }}{% for x in d %}{% endfor %}{{ e() }}{{ -f }}',
      ['a: a', 'b: b', 'c: c', 'd: d', 'e: e', 'f: f'],
    ],
    ['{{ goal | replace(old, new) }}', ['old: old', 'new: new']],
    ['{{ a == 1 }}{{ "x" in b }}', ['a: a', 'b: b']],
    ['{% set x = gone %}{{ x }}', ['gone: {{ x }}']],
    ['{{ [a] | join }}{{ {"k": b} | tojson }}', ['a: a', 'b: b']],
    ['{% macro f() %}{{ a }}{% endmacro %}{{ f() ~ b }}', ['a: a', 'b: b']],
  ])('is found in %j', (text, found) => {
    expect(undefinedIn(text)).toEqual(found);
  });

  it.each([
    ['{{ gone is defined }}{{ gone.x is undefined }}', 'falsetrue'],
    ['{{ gone | default("d") }}{{ inputs.gone.x | d("e") }}', 'de'],
    ['{% if gone %}a{% elif not gone %}b{% endif %}', 'b'],
    ['{{ gone or "x" }}{{ "y" if gone else "z" }}', 'xz'],
    ['{% if false %}{{ gone }}{% endif %}', ''],
    ['{% set x = gone %}{{ x | default(1) }}', '1'],
  ])('is no finding in %j', (text, rendered) => {
    expect(renderText(text)).toEqual({ text: rendered, undefinedNames: new Map() });
  });

  it('renders as nothing, and what fails for want of it is no other fault', () => {
    expect(renderText('[{{ gone }}]').text).toBe('[]');
    expect(undefinedIn('{% set a, b = gone %}{{ [1, gone] | sort | join }}')).toEqual(['gone: gone']);
  });

  it('may be unknown: then the text is, too', () => {
    expect(renderText('{{ inputs.x }}{{ gone }}', ['inputs'])).toEqual({
      undefinedNames: new Map([['gone', { start: 17, end: 21 }]]),
    });
    expect(renderText('{{ goal }}', ['inputs']).text).toBe('Ship it');
  });
});

describe('an include', () => {
  it('is relative to the file it stands in, sees what is around it and changes nothing there', () => {
    expect(renderText('{% include "parts/greeting.md" %}!').text).toBe('Hello, I am Ann.!');
    expect(renderText('{% for item in [1, 2] %}{% include "item.md" %}{{ item }}{% endfor %}').text).toBe('<1>1<2>2');
  });

  it.each([
    ['{% include inputs.file %}', 'an include names one file, in quotes', '{% include inputs.file %}'],
    ['{% include "a.md" ignore missing %}', 'an include names one file', '{% include "a.md" ignore missing %}'],
    ['x {% include "gone.md" %}', 'it includes "gone.md", which is missing', '"gone.md"'],
    ['{% include "../up.md" %}', "which lies outside of the workflow's files", '"../up.md"'],
    ['{% include "main.md" %}', 'its includes form a circle: main.md -> main.md', '"main.md"'],
  ])('is refused: %s', (text, message, place) => {
    const span = { start: text.indexOf(place), end: text.indexOf(place) + place.length };
    expect(() => renderText(text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), span }),
    );
  });

  it.each([
    ['circle.md', 'its includes form a circle: circle.md -> parts/back.md -> circle.md'],
    ['broken.md', 'the tag "{{ 1 + }}" is not complete'],
  ])('of %s is refused for what is in there', (path, message) => {
    expect(() => renderText(`{% include "${path}" %}`)).toThrow(message);
  });
});

describe('a template that cannot be rendered', () => {
  it.each([
    ['a {% if x %} b', '{% if %} is never closed by {% endif %}', '{% if x %}'],
    ['{% for x in y %}{% if x %}{% endfor %}', '{% if %} is never closed by {% endif %}', '{% if x %}'],
    ['{% set x %}a', '{% set %} is never closed', '{% set x %}'],
    ['{% endif %}', '{% endif %} closes nothing', 'endif'],
    ['{% block x %}', '{% block %} is no statement', 'block'],
    ['{{ a b }}', '"b" is not expected here', 'b'],
    ['{{ }}', 'the tag "{{ }}" is not complete', '{{ }}'],
    ['{% for x y %}{% endfor %}', '"y" is not expected here', 'y'],
    ['x {{ a', 'this tag is never closed by }}', '{{'],
    ['x {% a', 'this tag is never closed by %}', '{%'],
    ['x {# a', 'this comment is never closed by #}', '{#'],
    ['{% raw %} x', '{% raw %} is never closed by {% endraw %}', '{% raw %}'],
    ['{{ f(a }}', '( is never closed in its tag', '('],
    ['{{ a) | (b }}', ') closes nothing that is open in its tag', ')'],
    ["{{ 'a }}", "the closing ' is missing", "'"],
    ['{{ a ? b }}', '"?" means nothing in a tag', '?'],
    ['x {{ "a" | nope }}', 'there is no filter "nope"', '{{ "a" | nope }}'],
    ['x {{ goal.nope() }}', 'there is no method "nope"', '{{ goal.nope() }}'],
    ['{% if goal is nope %}{% endif %}', 'unknown test: nope', '{% if goal is nope %}'],
    ['{{ range }}', 'a function has no text', '{{ range }}'],
    ['{{ range ~ "" }}', 'a function is no value to calculate with', '{{ range ~ "" }}'],
    ['{{ 1 // 0 }}', 'nothing can be divided by zero', '{{ 1 // 0 }}'],
    ['{{ goal - 1 }}', 'this takes a number', '{{ goal - 1 }}'],
    ['{{ 1 | length }}', 'this takes a list', '{{ 1 | length }}'],
    ['{{ "a" | indent("b") }}', 'width is to be a whole number', '{{ "a" | indent("b") }}'],
    ['a{% break %}', 'it cannot be evaluated', '{% break %}'],
  ])('%j: %s', (text, message, place) => {
    const start = text.indexOf(place);
    const span = { start, end: start + place.length };
    expect(() => renderText(text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), span }),
    );
  });
});

describe('a bomb ends soon', () => {
  const loops = (count: number, inside: string): string =>
    Array.from({ length: count }, (_, at) => `{% for i${at} in range(1000) %}`).join('') +
    inside +
    '{% endfor %}'.repeat(count);
  const grow = (start: string, step: string): string =>
    `{% set n = namespace(x=${start}) %}{% for i in range(60) %}{% set n.x = ${step} %}{% endfor %}`;

  it.each([
    ['nested loops', loops(4, 'x')],
    ['loops over nothing', loops(4, '{% if gone %}{% endif %}')],
    ['a doubling text', grow('"ab"', 'n.x ~ n.x')],
    ['a list that holds itself twice', `${grow('[1]', '[n.x, n.x]')}{{ n.x }}`],
    [
      'a recursion that doubles',
      '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}',
    ],
    [
      'macros made in a loop',
      `{% for i in range(100000) %}{% macro f() %}${'{{ 1 }}'.repeat(9_000)}{% endmacro %}{% endfor %}`,
    ],
    ['a repeated text', '{{ "a" * 1000000000 }}'],
    ['a long row', '{{ [1] | batch(1000000000, 0) }}'],
    ['many columns', '{{ [1] | slice(1000000000) }}'],
    ['a search in a list for each item', '{{ range(30000) | select("in", range(30000)) | list | length }}'],
    ['long separators of lines', '{{ ("a " * 100000) | wordwrap(1, true, "-" * 10000) }}'],
    ['a wide indent', '{{ "a\nb" | indent(1000000000) }}'],
    ['a replacement that multiplies', '{{ ("a" * 100000) | replace("a", "b" * 100000) }}'],
    ['a long separator', '{{ range(100000) | join("-" * 10000) }}'],
    ['a search that compares everything', '{% set a = "a" * 400000 %}{{ (a ~ "b") in (a ~ a) }}'],
  ])('%s', (_, text) => {
    expect(() => renderText(text)).toThrow('too much work');
  });

  it.each([
    ['a long range', '{% for i in range(1000000000) %}{% endfor %}', 'range gives at most'],
    ['an endless range', '{{ range(0, 5, 0) }}', 'range cannot go on in steps of 0'],
    ['a power', '{{ 10 ** 400 }}', 'not a finite real number'],
    ['an endless recursion', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', 'nested too deeply'],
    ['many brackets', `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`, 'nested too deeply'],
    ['a long sum', `{{ ${'1 + '.repeat(50_000)}1 }}`, 'nested too deeply'],
    ['many negations', `{{ ${'not '.repeat(50_000)}1 }}`, 'nested too deeply'],
    ['many blocks', '{% if a %}'.repeat(50_000), 'nested too deeply'],
    ['many branches', `{% if a %}${'{% elif b %}'.repeat(50_000)}{% endif %}`, 'nested too deeply'],
    ['a list in lists', `${grow('1', '[n.x]')}${grow('n.x', '[n.x]')}`, 'a value is nested too deeply'],
    ['a namespace in itself', '{% set n = namespace() %}{% set n.x = [n] %}{{ n }}', 'cannot be part of another value'],
    ['many openings', '{{'.repeat(100_000), 'never closed'],
  ])('%s', (_, text, message) => {
    expect(() => renderText(text)).toThrow(message);
  });

  it.each([
    ['space in a tag', `{{ ${' '.repeat(500_000)}1 }}`, '1'],
    ['space before a tag', `${' '.repeat(500_000)}{{- 1 }}`, '1'],
    ['space in a text', `{{ "${' '.repeat(500_000)}" | trim }}`, ''],
    ['many tags', '{{ 1 }}'.repeat(50_000), '1'.repeat(50_000)],
  ])('and is none: %s', (_, text, rendered) => {
    expect(renderText(text).text).toBe(rendered);
  });
});
