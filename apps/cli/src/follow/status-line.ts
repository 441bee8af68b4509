import { durationText, oneLine } from '../terminal/format.js';
import type { Paint } from '../terminal/screen.js';
import type { OpenStage, Progress } from './progress.js';

/** Stages that are named while several are open. */
const NAMED = 3;

/** What a run does at this moment, in one line that fits the terminal. */
export function statusLine(progress: Progress, frame: string, nowMs: number, width: number, paint: Paint): string {
  const open = [...progress.open.values()];
  const named = open.slice(0, NAMED).map((stage) => `${stage.node} ${stateOf(stage, nowMs)}`);
  const more = open.length > NAMED ? [`and ${open.length - NAMED} more`] : [];
  const text = open.length === 0 ? progress.phase : [...named, ...more].join('  ');
  return `${paint.cyan(frame)} ${oneLine(text, width - 3)}`;
}

function stateOf({ startedAtMs, untilMs, question }: OpenStage, nowMs: number): string {
  if (question !== undefined) return `asks: ${question}`;
  if (untilMs !== undefined && untilMs > nowMs) return `goes on in ${durationText(untilMs - nowMs)}`;
  return durationText(nowMs - startedAtMs);
}
