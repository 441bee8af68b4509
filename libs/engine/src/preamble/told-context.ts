import { isHidden, type Briefing } from './briefing.js';
import { shownResults, shownValue } from './shown-value.js';
import type { ToldStage } from './told-stages.js';

/** What the context holds, sorted, without what is nobody's business and what stands under one of these stages. */
export function toldContext({ context }: Briefing, stages: readonly ToldStage[]): [key: string, text: string][] {
  const isPrinted = stages.some(({ output }) => output !== undefined);
  return context
    .filter(([key, value]) => !isHidden(key) && value !== '' && !(isPrinted && key === 'command.output'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, key === 'parallel.results' ? shownResults(value) : shownValue(value)]);
}
