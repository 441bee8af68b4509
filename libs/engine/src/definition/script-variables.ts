import { MAX_VALUE_BYTES } from '#libs/events';
import { GOAL_VARIABLE, variableOfInput, type Graph, type InputValue } from '#libs/language';

/** What the variables of one run take at most together, their names included: a process takes no more than so much. */
const MAX_ALL_BYTES = 256 * 1024;

export interface ScriptVariables {
  /** The goal and the inputs as every command finds them in its environment. */
  env: Readonly<Record<string, string>>;
  /** Variables that no command gets, and why; each reason ends the sentence "… is not there, because …". */
  withheld: ReadonlyMap<string, string>;
}

/**
 * The goal and the inputs as variables. A text is given as it is, anything else as JSON. A variable whose name two inputs
 * share, or whose value no process takes, is not there; of too many the largest are not.
 */
export function scriptVariables(inputs: Readonly<Record<string, InputValue>>, goal: string): ScriptVariables {
  const withheld = new Map<string, string>();
  const given = new Map<string, string>([[GOAL_VARIABLE, goal]]);
  const owners = new Map<string, string>();
  for (const [input, value] of Object.entries(inputs)) {
    const name = variableOfInput(input);
    const other = owners.get(name);
    if (other === undefined) given.set(name, String(value));
    else withheld.set(name, `the inputs ${JSON.stringify(other)} and ${JSON.stringify(input)} would share it`);
    owners.set(name, input);
  }
  let left = MAX_ALL_BYTES;
  for (const [name, value] of [...given].sort(([, a], [, b]) => a.length - b.length)) {
    const bytes = Buffer.byteLength(value) + name.length + 2;
    const problem = problemOf(value, bytes, left);
    if (problem === undefined) left -= bytes;
    else if (!withheld.has(name)) withheld.set(name, problem);
  }
  return { env: Object.fromEntries([...given].filter(([name]) => !withheld.has(name))), withheld };
}

/** The variables of the goal and of inputs, as a script names them. */
const NAMES = new RegExp(`${GOAL_VARIABLE}(?![A-Z0-9_])|${variableOfInput('')}[A-Z0-9_]*`, 'g');

/** What keeps scripts from finding a variable that they name, a sentence for each. */
export function missingVariables(graph: Graph, inputs: Readonly<Record<string, InputValue>>): string[] {
  const { withheld } = scriptVariables(inputs, graph.attributes.goal);
  return graph.nodes.flatMap((node) => {
    if (node.kind === 'stack.manager_loop' && 'graph' in node.child) return missingVariables(node.child.graph, inputs);
    if (node.kind !== 'command' || withheld.size === 0) return [];
    const named = new Set(node.script.match(NAMES));
    return [...named].flatMap((name) => {
      const why = withheld.get(name);
      return why === undefined ? [] : `The script of node ${JSON.stringify(node.id)} names the variable ${name}, which is not there, because ${why}. Name the input differently, or write the value where the script uses it, as {{ … }}.`;
    });
  });
}

function problemOf(value: string, bytes: number, left: number): string | undefined {
  if (value.includes('\0')) return 'its value holds the character U+0000';
  if (bytes > MAX_VALUE_BYTES) return `its value takes more than ${MAX_VALUE_BYTES / 1024} KiB`;
  return bytes > left ? `it and the smaller ones take more than ${MAX_ALL_BYTES / 1024} KiB` : undefined;
}
