import type { Report } from './scenario.js';

export interface Tried {
  name: string;
  seconds: number;
  report: Report;
}

const SHOWN_FAULTS = 20;

/** One scenario with all its figures and its first faults. */
export function line({ name, seconds, report }: Tried): string {
  const { faults, figures, voided } = report;
  const told = Object.entries(figures).map(([word, value]) => `${word} ${value}`);
  const more = faults.length > SHOWN_FAULTS ? [`... and ${faults.length - SHOWN_FAULTS} more`] : [];
  const notes = [...(voided ? [voided] : []), ...varied(faults).slice(0, SHOWN_FAULTS), ...more];
  return [`${verdict(report).padEnd(5)} ${name} (${seconds} s): ${told.join(', ')}`, ...notes].join('\n      ');
}

/** The first fault of each kind comes first, so that one kind does not hide the others. */
function varied(faults: readonly string[]): string[] {
  const kinds = new Map<string, string[]>();
  for (const fault of faults) {
    const kind = fault.replaceAll(/[0-9A-Z]{26}|\d+/g, '');
    kinds.set(kind, [...(kinds.get(kind) ?? []), fault]);
  }
  const [firsts, others] = [
    [...kinds.values()].map(([first]) => first!),
    [...kinds.values()].flatMap((all) => all.slice(1)),
  ];
  return [...firsts, ...others];
}

/** All scenarios, in the form of Markdown. */
export function table(tried: readonly Tried[]): string {
  const rows = tried.map(({ name, seconds, report }) => {
    const { runs = '', events = '', 'take-overs': takeOvers = '', acknowledged = '' } = report.figures;
    return `| ${[name, verdict(report), seconds, runs, events, takeOvers, acknowledged, report.faults.length].join(' | ')} |`;
  });
  const head = ['scenario', 'verdict', 's', 'runs', 'events', 'take-overs', 'acknowledged', 'faults'];
  return ['', `| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...rows].join('\n');
}

/** A fault is a fault, however few requests got through. */
function verdict({ faults, voided }: Report): 'pass' | 'fail' | 'void' {
  if (faults.length > 0) return 'fail';
  return voided === undefined ? 'pass' : 'void';
}
