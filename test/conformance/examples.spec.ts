import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'smol-toml';
import { compile, type HandlerKind, type InputValue } from '#libs/language';

const EXAMPLES = path.resolve('examples');

interface Settings {
  workflow?: { graph?: string };
  run?: { inputs?: Record<string, InputValue> };
}

/** Every file of an example by its path from the example's folder: what may travel with its workflows. */
function filesOf(example: string): Map<string, string> {
  const folder = path.join(EXAMPLES, example);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

const examples = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ name, files: filesOf(name) }));

const workflows = examples.flatMap(({ name, files }) => {
  const settings: Settings = parse(files.get('workflow.toml') ?? '');
  const main = settings.workflow?.graph ?? 'workflow.dot';
  return [...files]
    .filter(([file]) => file.endsWith('.dot'))
    .map(([file, source]) => {
      // Imports share the inputs of the workflow that they become a part of; a child of a manager loop has none.
      const scope = { inputs: settings.run?.inputs ?? {}, vars: {}, undefinedIs: 'error' } as const;
      return { title: `${name}/${file}`, isMain: file === main, ...compile(source, { path: file, files, scope }) };
    });
});

describe('the examples', () => {
  it('are a folder each, with one workflow that is run', () => {
    expect(workflows.filter(({ isMain }) => isMain)).toHaveLength(examples.length);
    expect(examples.length).toBeGreaterThan(12);
  });

  it.each(workflows)('$title is right, and gives no cause for a warning', ({ diagnostics }) => {
    const serious = diagnostics.filter(({ severity }) => severity !== 'info');
    expect(
      serious.map(({ rule, message, path: file, range }) => `${file}:${range.start.line} ${rule} ${message}`),
    ).toEqual([]);
  });

  it('show every kind of node', () => {
    const kinds: Record<HandlerKind, boolean> = {
      start: false,
      exit: false,
      agent: false,
      prompt: false,
      command: false,
      human: false,
      conditional: false,
      parallel: false,
      'parallel.fan_in': false,
      wait: false,
      'stack.manager_loop': false,
    };
    for (const { graph } of workflows) for (const { kind } of graph?.nodes ?? []) kinds[kind] = true;
    expect(Object.entries(kinds).filter(([, isShown]) => !isShown)).toEqual([]);
  });

  it('show every operator of conditions', () => {
    const conditions = workflows.flatMap(({ graph }) => graph?.edges.map(({ condition }) => condition ?? '') ?? []);
    const operators = [' = ', ' != ', ' > ', ' < ', ' >= ', ' <= ', ' contains ', ' matches ', ' && ', ' || '];
    const isShown = (operator: string) => conditions.some((condition) => condition.includes(operator));
    expect(operators.filter((operator) => !isShown(operator))).toEqual([]);
    expect(conditions).toContainEqual(expect.stringMatching(/(^|\s)!\w/));
  });
});
