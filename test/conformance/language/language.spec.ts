import { describe, expect, it } from '@jest/globals';
import { compile, compileCondition, evaluate, isError, type CompileOptions, type Diagnostic } from '#libs/language';
import { expectFact } from './expect-fact.js';
import { chapters, type Case } from './read-cases.js';

/** Statements stand alone: nothing leads to their nodes, few have a prompt, and nothing asks how branches ended. */
const OF_WHOLE_WORKFLOWS = ['reachability', 'prompt_on_llm_nodes', 'branch_failure_goes_on'];
const CONTEXT = { n: 10, f: false, s: 'abc', l: ['x', 'y'], o: { k: 1 }, 'a.b': 'flat', zero: 0, empty: '' };
const BEHIND_STAGE = { outcome: 'succeeded', preferredLabel: 'Fix it' };

describe.each(chapters())('$name', ({ cases, conditions }) => {
  for (const one of cases) it(one.title, () => expectMeaning(one));
  for (const { condition, holds } of conditions) {
    it(`${condition} is ${holds}`, () => expect(verdict(condition)).toBe(holds));
  }
});

function expectMeaning({ source, isBody, files, given, meaning }: Case): void {
  const { graph, diagnostics } = compile(source, { path: 'main.dot', files, ...optionsOf(given) });
  const expected = meaning.filter((line) => /^(?:error|warning|info) /.test(line));
  const facts = meaning.filter((line) => line !== 'valid' && !expected.includes(line));
  const named = new Set(expected.map((line) => line.split(' ')[1]));
  const said = diagnostics.filter(({ rule, severity }) => {
    if (named.has(rule)) return true;
    return severity !== 'info' && !(isBody && OF_WHOLE_WORKFLOWS.includes(rule));
  });
  expect(said.map((found) => shown(found, expected)).sort()).toEqual([...expected].sort());
  expect(graph === undefined).toBe(diagnostics.some(isError));
  expect(meaning).not.toEqual([]);
  for (const fact of facts) expectFact(graph!, fact);
}

/** With its place, where the expectation of its rule has one. */
function shown({ severity, rule, path, range }: Diagnostic, expected: readonly string[]): string {
  const short = `${severity} ${rule}`;
  const place = `${path === 'main.dot' ? '' : `${path}:`}${range.start.line}:${range.start.column}`;
  return expected.includes(short) ? short : `${short} ${place}`;
}

function optionsOf({ inputs = {}, vars = {}, undefinedIs = 'error', goal, models }: Case['given']): CompileOptions {
  return {
    scope: { inputs, vars, undefinedIs },
    ...(goal !== undefined && { goal }),
    ...(models && {
      models: {
        hasProvider: (name) => Object.hasOwn(models, name),
        hasModel: (name, provider) => (provider ? models[provider]! : Object.values(models).flat()).includes(name),
        providerNames: () => Object.keys(models),
        modelNames: (provider) => (provider ? models[provider]! : Object.values(models).flat()),
      },
    }),
  };
}

function verdict(text: string): string {
  let condition;
  try {
    condition = compileCondition(text);
  } catch {
    return 'error';
  }
  const lookup = (key: string) => new Map(Object.entries(CONTEXT)).get(key);
  return String(evaluate(condition, { ...BEHIND_STAGE, lookup }));
}
