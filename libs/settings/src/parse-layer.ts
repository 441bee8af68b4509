import { nearestName } from '#libs/kernel';
import type { z } from 'zod';
import { KeyLines } from './key-lines.js';
import { knownKeys } from './known-keys.js';
import { layer, type Layer } from './layer.js';
import { readToml } from './read-toml.js';

/** Where older files have what now stands elsewhere. */
const MOVED: Readonly<Record<string, string>> = {
  version: 'rename it to _version',
  goal: 'it belongs in [run]',
  directory: 'it belongs in [run], as working_dir',
  graph: 'it belongs in [workflow]',
  labels: 'it belongs in [run.metadata]',
  vars: 'it belongs in [run.inputs]',
  setup: 'it belongs in [run.prepare]',
  sandbox: 'it belongs in [run.environment] and [environments.<slug>]',
  hooks: 'it belongs in [[run.hooks]]',
  mcp_servers: 'it belongs in [run.agent.mcps.<name>]',
  max_concurrent_runs: 'it belongs in [server.scheduler]',
  dry_run: 'it belongs in [run.execution], as mode',
  auto_approve: 'it belongs in [run.execution], as approval',
  log: 'it belongs in [server.logging]',
};

/** Faults of one file that are said; who has more mends these first. */
const MAX_FAULTS = 100;

/** The number that a line of TOML assigns. */
const NUMBER = /=\s*([+-]?[\d.][\w.+-]*)\s*(?:#.*)?\r?$/;

/** A file that was read, or everything that is wrong with it: sentences that name the file, the line and the key. */
export type ParsedLayer = { layer: Layer } | { faults: string[] };

/** Reads one settings file. Never throws. */
export function parseLayer(source: string, file: string): ParsedLayer {
  const read = readToml(source, file);
  if ('fault' in read) return { faults: [read.fault] };
  const parsed = layer.safeParse(read.document);
  if (!parsed.success) {
    const lines = new KeyLines(source);
    return {
      faults: parsed.error.issues
        .slice(0, MAX_FAULTS)
        .flatMap((issue) => sentences(issue, lines, file))
        .slice(0, MAX_FAULTS),
    };
  }
  const places = Object.entries(parsed.data.environments ?? {}).filter(([, { cwd }]) => cwd !== undefined);
  if (places.length === 0) return { layer: withInputsAsWritten(parsed.data, source) };
  return {
    faults: places.map(([id]) => `${file}: environments.${id}.cwd is server-managed and cannot be set in this file.`),
  };
}

/** A number that would be written in another way, such as a version, is a text, as it is on the command line. */
function withInputsAsWritten(layer: Layer, source: string): Layer {
  const inputs = layer.run?.inputs;
  if (!inputs || !Object.values(inputs).some((value) => typeof value === 'number')) return layer;
  const lines = source.split('\n');
  const places = new KeyLines(source);
  const entries = Object.entries(inputs).map(([key, value]) => {
    const line = typeof value === 'number' ? places.at(['run', 'inputs', key]) : undefined;
    const written = NUMBER.exec(line === undefined ? '' : lines[line - 1]!)?.[1];
    return [key, written === undefined || written === String(value) ? value : written] as const;
  });
  return { ...layer, run: { ...layer.run, inputs: Object.fromEntries(entries) } };
}

function sentences(issue: z.core.$ZodIssue, lines: KeyLines, file: string): string[] {
  const path = issue.path.map(String);
  const at = (key: readonly string[]): string => {
    const line = lines.of(key);
    return line === undefined ? file : `${file}:${line}`;
  };
  if (issue.code !== 'unrecognized_keys') return [`${at(path)}: ${path.join('.')} ${messageAbout(issue)}.`];
  const known = knownKeys(layer, issue.path);
  return issue.keys.map((key) => {
    const what = path.length === 0 ? 'an unknown top-level settings key' : 'an unknown key';
    return `${at([...path, key])}: ${[...path, key].join('.')} is ${what}${hintAbout(key, path, known)}`;
  });
}

/** The end of the sentence about an unknown key. */
function hintAbout(key: string, path: readonly string[], known: readonly string[]): string {
  if (path.length === 0 && Object.hasOwn(MOVED, key)) return `: ${MOVED[key]}.`;
  const nearest = nearestName(key, known);
  return nearest === undefined ? '.' : `. Did you mean "${nearest}"?`;
}

function messageAbout(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (issue.code === 'invalid_type') {
    return issue.expected === 'nonoptional' ? 'must be set' : `must be ${article(issue.expected)}`;
  }
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_union') return 'has the wrong type';
  return message.startsWith('must') || message.startsWith('exactly') || message.startsWith('settings')
    ? message
    : `is not valid: ${message}`;
}

function article(expected: string): string {
  const noun =
    { record: 'table', object: 'table', array: 'list', string: 'text', int: 'whole number' }[expected] ?? expected;
  return `a ${noun}`;
}
