import type { Outcome } from '../stage/outcome.js';

/** What an output says about the outcome of its stage. */
export type Report = Omit<Outcome, 'notes' | 'filesTouched' | 'kept'>;

/** An output, read: its report; or that the object asked for is `missing`, or `invalid`, and why: one clause each. */
export type Reading = { ok: true; report: Report } | { ok: false; kind: 'missing' | 'invalid'; issues: string[] };

export function reported(report: Report): Reading {
  return { ok: true, report };
}

export function missing(issue: string): Reading {
  return { ok: false, kind: 'missing', issues: [issue] };
}

export function invalid(...issues: string[]): Reading {
  return { ok: false, kind: 'invalid', issues };
}
