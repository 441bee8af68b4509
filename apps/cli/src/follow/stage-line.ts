import { durationText, oneLine, plainText } from '../terminal/format.js';
import type { TerminalPaint } from '../terminal/screen.js';

/** How lines are made. */
export interface LineStyle {
  paint: TerminalPaint;
  width: number;
  /** Every event gets a line of its own. */
  verbose: boolean;
}

export interface StageRow {
  icon: string;
  node: string;
  handler: string;
  wallTimeMs?: number;
  detail: string;
}

const LEAST_DETAIL = 20;
/** Lines of output that a failed stage shows. */
const SHOWN_OUTPUT = 12;

/** Kinds of nodes whose names are wider than their column. */
const SHORT: Readonly<Record<string, string>> = { 'parallel.fan_in': 'fan-in', 'stack.manager_loop': 'manager' };
const KIND_WIDTH = 11;

/** `✓ check  command  0.4s  128 links are good`: columns that stand below each other, and no line break. */
export function stageLine({ icon, node, handler, wallTimeMs, detail }: StageRow, { paint, width }: LineStyle): string {
  const duration = wallTimeMs === undefined ? '' : durationText(wallTimeMs);
  const columns = [
    node.padEnd(12),
    oneLine(SHORT[handler] ?? handler, KIND_WIDTH).padEnd(KIND_WIDTH),
    duration.padStart(6),
  ] as const;
  const room = width - columns.join(' ').length - 4;
  const [name, kind, time] = columns;
  return `${icon} ${name} ${paint.dim(kind)} ${time}  ${oneLine(detail, Math.max(LEAST_DETAIL, room))}`.trimEnd();
}

/** The end of what a command wrote, set in. */
export function outputLines(output: string, { paint }: LineStyle): string[] {
  const text = plainText(output).trimEnd();
  if (text === '') return [];
  const lines = text.split('\n');
  const shown = lines.slice(-SHOWN_OUTPUT).map((line) => `    ${line}`);
  const left = lines.length - SHOWN_OUTPUT;
  return left > 0 ? [paint.dim(`    … ${left} lines before`), ...shown] : shown;
}
