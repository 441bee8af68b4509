import { truncateText, type Json } from '#libs/kernel';
import type { Node } from '#libs/language';
import type { HistoryEntry } from '../run/state.js';
import { isHidden, type Briefing } from './briefing.js';

/** Values above this are shown by their beginning only. */
const MAX_VALUE_BYTES = 8 * 1024;
const PREVIEW_BYTES = 300;

/** What is told to a model before its prompt; empty where its own conversation holds it already. */
export function preambleOf(briefing: Briefing): string {
  switch (briefing.fidelity) {
    case 'full':
      return '';
    case 'truncate':
      return head(briefing);
    case 'compact':
      return joined([goalLine(briefing), section('Completed stages', stages(briefing).map(bullet)), context(briefing)]);
    case 'summary:low':
      return joined([head(briefing), recent(briefing, 2)]);
    case 'summary:medium':
      return joined([head(briefing), recent(briefing, 5), context(briefing)]);
    case 'summary:high':
      return high(briefing);
  }
}

function goalLine({ goal }: Briefing): string {
  return goal === '' ? '' : `Goal: ${goal}`;
}

function head(briefing: Briefing): string {
  return [goalLine(briefing), `Run ID: ${briefing.runId}`].filter(Boolean).join('\n');
}

/** What was done, without the bounds of the walk. */
function stages({ history, nodeOf }: Briefing): HistoryEntry[] {
  const isBound = (node: Node | undefined): boolean => node?.kind === 'start' || node?.kind === 'exit';
  return history.filter(({ node }) => !isBound(nodeOf(node)));
}

function bullet({ node, status, notes, reason }: HistoryEntry): string {
  const said = reason ?? notes;
  return `- **${node}**: ${status}${said === undefined ? '' : `\n  ${said.replaceAll('\n', '\n  ')}`}`;
}

function recent(briefing: Briefing, count: number): string {
  const all = stages(briefing);
  const shown = all.slice(-count);
  const omitted = all.length - shown.length;
  return joined([
    `Completed ${all.length} stage(s) so far.`,
    omitted > 0 ? `(${omitted} earlier stage(s) omitted)` : '',
    shown.map((entry) => `${bullet(entry)}${detail(briefing, entry)}`).join('\n'),
  ]);
}

function detail({ nodeOf }: Briefing, { node: id }: HistoryEntry): string {
  const node = nodeOf(id);
  if (node?.kind === 'command') return `\n  Script: ${truncateText(node.script, PREVIEW_BYTES)}`;
  return node && 'model' in node && node.model !== undefined ? `\n  Model: ${node.model}` : '';
}

function high(briefing: Briefing): string {
  const all = stages(briefing);
  const sections = all.map((entry) => {
    const { node, status, notes, reason } = entry;
    return joined([
      `## Stage: ${node}`,
      `Status: ${status}${detail(briefing, entry)}`,
      notes === undefined ? '' : notes.replace(/^/gm, '> '),
      reason === undefined ? '' : `Failure: ${reason}`,
    ]);
  });
  const table = entries(briefing).map(([key, value]) => `| ${key} | ${shown(value).replaceAll('\n', ' ')} |`);
  const current = table.length === 0 ? '' : `## Current context\n\n| key | value |\n| --- | --- |\n${table.join('\n')}`;
  return joined([head(briefing), `Pipeline progress: ${all.length} stages completed`, ...sections, current]);
}

function context(briefing: Briefing): string {
  return section(
    'Context',
    entries(briefing).map(([key, value]) => `- ${key}: ${shown(value)}`),
  );
}

function entries({ context: values }: Briefing): (readonly [string, Json])[] {
  return values.filter(([key, value]) => !isHidden(key) && value !== '').sort(([a], [b]) => (a < b ? -1 : 1));
}

function shown(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  return bytes <= MAX_VALUE_BYTES ? text : `(${bytes} bytes) ${truncateText(text, PREVIEW_BYTES)} …`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
