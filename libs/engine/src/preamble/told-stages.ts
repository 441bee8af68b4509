import type { HistoryEntry } from '../state/state.js';
import type { Briefing } from './briefing.js';

/** A stage as models are told of it: how it ended, and what the context still holds of what it said. */
export interface ToldStage extends HistoryEntry {
  /** What its command printed, unless a later one printed too. */
  output?: string;
  /** The lines of it that are not there. */
  linesBefore?: number;
  /** What its model answered, unless its node was executed again. */
  answer?: string;
}

/** What was done, in its order, without the bounds of the walk. */
export function toldStages({ history, context, output: kept, nodeOf }: Briefing): ToldStage[] {
  const values = new Map(context);
  const output = kept?.end ?? values.get('command.output');
  const stages = history.filter(({ node }) => !['start', 'exit'].includes(nodeOf(node)?.kind ?? ''));
  const printedLast = stages.findLastIndex(({ hasOutput }) => hasOutput);
  const latest = new Map(stages.map(({ node }, at) => [node, at]));
  return stages.map((stage, at): ToldStage => {
    const answer = latest.get(stage.node) === at ? values.get(`response.${stage.node}`) : undefined;
    return {
      ...stage,
      ...(at === printedLast && typeof output === 'string' && { output, linesBefore: kept?.linesBefore ?? 0 }),
      ...(typeof answer === 'string' && { answer }),
    };
  });
}
