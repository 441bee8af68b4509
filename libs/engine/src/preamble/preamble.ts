import { truncateText } from '#libs/kernel';
import type { Briefing } from './briefing.js';
import { cell, indented, lines, paragraphs, quoted, section } from './layout.js';
import { outputTail } from './output-tail.js';
import { shownValue } from './shown-value.js';
import { toldContext } from './told-context.js';
import { toldStages, type ToldStage } from './told-stages.js';

const SCRIPT_BYTES = 300;
const OUTPUT_LINES = 25;
const ALL_OUTPUT_LINES = 50;

/** What is told to a model before its prompt; empty where its own conversation holds it already. */
export function preambleOf(briefing: Briefing): string {
  switch (briefing.fidelity) {
    case 'full':
      return '';
    case 'truncate':
      return head(briefing);
    case 'compact':
      return compact(briefing);
    case 'summary:low':
      return low(briefing);
    case 'summary:medium':
      return medium(briefing);
    case 'summary:high':
      return high(briefing);
  }
}

function compact(briefing: Briefing): string {
  const stages = toldStages(briefing);
  const shown = stages.map((stage) => bullet(stage, '', output(stage)));
  return paragraphs(goalLine(briefing), section('Completed stages', shown), contextSection(briefing, stages));
}

function low(briefing: Briefing): string {
  const stages = toldStages(briefing);
  const shown = stages.slice(-2).map((stage) => bullet(stage, means(briefing, stage), ''));
  return paragraphs(head(briefing), progress(briefing, stages, shown), shown.join('\n'));
}

function medium(briefing: Briefing): string {
  const stages = toldStages(briefing);
  const recent = stages.slice(-5);
  const shown = recent.map((stage) => bullet(stage, means(briefing, stage), output(stage)));
  return paragraphs(
    head(briefing),
    progress(briefing, stages, shown),
    shown.join('\n'),
    contextSection(briefing, recent),
  );
}

function high(briefing: Briefing): string {
  const stages = toldStages(briefing);
  const sections = stages.map((stage) => {
    const { node, status, notes, reason, answer } = stage;
    const printed = output(stage, ALL_OUTPUT_LINES);
    const failure = reason === undefined ? '' : `Failure: ${cause(reason, printed)}`;
    return paragraphs(
      `## Stage: ${node}`,
      lines(`Status: ${status}`, means(briefing, stage), failure),
      printed,
      quoted(answer === undefined ? (notes ?? '') : shownValue(answer)),
    );
  });
  const rows = toldContext(briefing, stages).map(([key, value]) => `| ${cell(key)} | ${cell(value)} |`);
  const table = section('Current context', rows.length === 0 ? [] : ['| key | value |', '| --- | --- |', ...rows]);
  return paragraphs(head(briefing), progressOf(briefing, stages), ...sections, table);
}

/** Each node counts once, however often it was visited. */
function progressOf({ nodeCount }: Briefing, stages: readonly ToldStage[]): string {
  const completed = new Set(stages.map(({ node }) => node)).size;
  return `Pipeline progress: ${completed} of ${Math.max(completed, nodeCount)} stages completed`;
}

function goalLine({ goal }: Briefing): string {
  return goal === '' ? '' : `Goal: ${goal}`;
}

function head(briefing: Briefing): string {
  return lines(goalLine(briefing), `Run ID: ${briefing.runId}`);
}

/** The start is counted among what was completed, though nothing is told of it. */
function progress({ history }: Briefing, stages: readonly ToldStage[], shown: readonly string[]): string {
  const omitted = stages.length - shown.length;
  return paragraphs(
    `Completed ${history.length} stage(s) so far.`,
    omitted > 0 ? `(${omitted} earlier stage(s) omitted)` : '',
  );
}

function bullet({ node, status, notes, reason }: ToldStage, work: string, printed: string): string {
  const said = reason === undefined ? (notes ?? '') : cause(reason, printed);
  return lines(`- **${node}**: ${status}`, ...[said, work, printed].map(indented));
}

/** The failure of a command quotes its output; where that is shown, once is enough. */
function cause(reason: string, printed: string): string {
  return printed === '' ? reason : reason.split('\n', 1)[0]!;
}

/** With what a stage did its work. */
function means({ nodeOf }: Briefing, { node: id }: ToldStage): string {
  const node = nodeOf(id);
  if (node?.kind === 'command') return `Script: ${truncateText(node.script, SCRIPT_BYTES)}`;
  return node && 'model' in node && node.model !== undefined ? `Model: ${node.model}` : '';
}

function output({ output: printed, linesBefore }: ToldStage, maxLines = OUTPUT_LINES): string {
  return printed === undefined ? '' : lines('Output:', indented(outputTail(printed, maxLines, linesBefore)));
}

function contextSection(briefing: Briefing, shown: readonly ToldStage[]): string {
  return section(
    'Context',
    toldContext(briefing, shown).map(([key, value]) => `- ${key}: ${value}`),
  );
}
