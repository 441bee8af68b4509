import { durationText, lastPartOf, oneLine } from '../terminal/format.js';
import type { TerminalPaint } from '../terminal/screen.js';
import type { ShownStage, Progress } from './progress.js';

/** Stages that are named while several are open. */
const NAMED = 3;

/** A model's words below this are not worth the room. */
const LEAST_WORDS = 10;

/** What a run does at this moment, in one line that fits the terminal; where one stage is open, with what its model or command says. */
export function statusLine(
  progress: Progress,
  frame: string,
  nowMs: number,
  width: number,
  paint: TerminalPaint,
): string {
  const open = [...progress.open.values()];
  const named = open.slice(0, NAMED).map((stage) => `${stage.name} ${stateOf(stage, nowMs)}`);
  const more = open.length > NAMED ? [`and ${open.length - NAMED} more`] : [];
  const text = open.length === 0 ? progress.phase : [...named, ...more].join('  ');
  const line = oneLine(text, width - 3);
  const said = open.length === 1 ? saidBy(open[0]!, width - 5 - line.length) : '';
  return `${paint.cyan(frame)} ${line}${said === '' ? '' : `  ${paint.dim(said)}`}`;
}

/** The end of what a model says, or the last line that a command printed, from its beginning. */
function saidBy({ handler, saying = '' }: ShownStage, room: number): string {
  if (room < LEAST_WORDS) return '';
  return handler === 'command' ? oneLine(saying.trimEnd().split('\n').at(-1) ?? '', room) : lastPartOf(saying, room);
}

function stateOf({ startedAtMs, untilMs, question }: ShownStage, nowMs: number): string {
  if (question !== undefined) return `asks: ${question}`;
  if (untilMs !== undefined && untilMs > nowMs) return `goes on in ${durationText(untilMs - nowMs)}`;
  return durationText(nowMs - startedAtMs);
}
