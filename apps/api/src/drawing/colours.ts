import { type StageStatus } from '#libs/events';
import { type HandlerKind } from '#libs/language';

/** One colour for light pages and one for dark ones. */
type Colour = readonly [light: string, dark: string];

export interface Paint {
  fill: Colour;
  line: Colour;
  text: Colour;
}

const INK: Colour = ['#0f172a', '#f1f5f9'];
const TERMINAL: Paint = { fill: ['#334155', '#cbd5e1'], line: ['#334155', '#cbd5e1'], text: ['#f8fafc', '#0f172a'] };
const BRANCHES: Paint = { fill: ['#cffafe', '#083344'], line: ['#0e7490', '#22d3ee'], text: INK };

export const KIND_PAINT: Readonly<Record<HandlerKind, Paint>> = {
  start: TERMINAL,
  exit: TERMINAL,
  agent: { fill: ['#e0e7ff', '#1e1b4b'], line: ['#4f46e5', '#818cf8'], text: INK },
  prompt: { fill: ['#f3e8ff', '#3b0764'], line: ['#9333ea', '#c084fc'], text: INK },
  command: { fill: ['#ccfbf1', '#042f2e'], line: ['#0f766e', '#2dd4bf'], text: INK },
  human: { fill: ['#fef3c7', '#451a03'], line: ['#b45309', '#fbbf24'], text: INK },
  conditional: { fill: ['#f1f5f9', '#1e293b'], line: ['#475569', '#94a3b8'], text: INK },
  parallel: BRANCHES,
  'parallel.fan_in': BRANCHES,
  wait: { fill: ['#f5f5f4', '#292524'], line: ['#78716c', '#a8a29e'], text: INK },
  'stack.manager_loop': { fill: ['#fce7f3', '#500724'], line: ['#be185d', '#f472b6'], text: INK },
};

const NOT_DONE: Paint = { fill: ['#f8fafc', '#1e293b'], line: ['#94a3b8', '#64748b'], text: ['#475569', '#cbd5e1'] };

export const STATE_PAINT: Readonly<Record<StageStatus, Paint>> = {
  pending: NOT_DONE,
  running: { fill: ['#dbeafe', '#172554'], line: ['#2563eb', '#60a5fa'], text: INK },
  retrying: { fill: ['#ffedd5', '#431407'], line: ['#c2410c', '#fb923c'], text: INK },
  succeeded: { fill: ['#dcfce7', '#052e16'], line: ['#15803d', '#4ade80'], text: INK },
  partially_succeeded: { fill: ['#fef9c3', '#422006'], line: ['#a16207', '#facc15'], text: INK },
  failed: { fill: ['#fee2e2', '#450a0a'], line: ['#b91c1c', '#f87171'], text: INK },
  skipped: NOT_DONE,
  cancelled: NOT_DONE,
};

/** Edges lie on the page itself: without the style sheet the first colour has to do on light pages and on dark ones. */
export const EDGE: Paint = {
  fill: ['#64748b', '#94a3b8'],
  line: ['#64748b', '#94a3b8'],
  text: ['#64748b', '#cbd5e1'],
};
