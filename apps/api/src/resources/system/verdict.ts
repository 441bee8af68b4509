import { STUCK_AFTER_S, type SystemFigures } from '#libs/persistence';
import { type ChoreReport } from '#libs/scheduling';
import { CHECK_STATUSES, type CheckStatus, type SystemCheck, type SystemCheckResponse } from './dto/check.js';

/** What is judged: the server as a whole, and the duties and the readiness of the process that judges. */
export interface Observation {
  figures: SystemFigures;
  duties: readonly ChoreReport[];
  faults: readonly string[];
}

const DAY_MS = 86_400_000;

/** A lost worker costs a run 15 s at most; longer waits have another reason. */
const WORKER_WAIT_MS = { warning: 15_000, error: 60_000 };
/** The limit is the operator's wish, so waiting for it is never an error. */
const SLOT_WAIT_MS = { warning: 300_000, error: Infinity };

/** A turn through all runs takes a day, or longer where there are very many. */
const COMPARED_AGO_MS = { warning: 7 * DAY_MS, error: Infinity };

/** Judges figures: what each says, and what to do when it is bad. docs/operations.md has the same limits in words. */
export function verdictOf({ figures, duties, faults }: Observation): SystemCheckResponse {
  const checks = [
    readiness(faults),
    workers(figures),
    slots(figures),
    leases(figures),
    upkeep(duties),
    stuck(figures),
    readModels(figures),
  ];
  return { status: worstOf(checks.map(({ status }) => status)), checks };
}

function readiness(faults: readonly string[]): SystemCheck {
  if (faults.length === 0) return pass('readiness', 'This process is ready.');
  return { name: 'readiness', status: 'error', summary: faults.join(' '), remediation: 'Look into its log.' };
}

function workers({ workers: { alive, missing }, slots: { held, queued } }: SystemFigures): SystemCheck {
  const summary = `${alive} alive, ${missing} gone without a word.`;
  if (alive === 0) {
    const status = held + queued > 0 ? 'error' : 'warning';
    return { name: 'workers', status, summary, remediation: 'Start a worker; without one no run goes on.' };
  }
  if (missing === 0) return pass('workers', summary);
  return {
    name: 'workers',
    status: 'warning',
    summary,
    remediation: 'Look why they died; their runs go on elsewhere.',
  };
}

function slots({ slots: { held, limit, queued, parked }, waiting: { forSlotMs } }: SystemFigures): SystemCheck {
  return {
    name: 'slots',
    status: statusOf(forSlotMs, SLOT_WAIT_MS),
    summary: `${held} of ${limit} in use, ${queued} queued for up to ${inSeconds(forSlotMs)}, ${parked} parked.`,
    remediation: forSlotMs < SLOT_WAIT_MS.warning ? null : 'Raise RUNYARD_SERVER_MAX_CONCURRENT_RUNS, or wait.',
  };
}

function leases({ leases: { held, expired }, waiting: { forWorkerMs } }: SystemFigures): SystemCheck {
  return {
    name: 'leases',
    status: statusOf(forWorkerMs, WORKER_WAIT_MS),
    summary: `${held} held, ${expired} expired; a run waits for a worker for up to ${inSeconds(forWorkerMs)}.`,
    remediation: forWorkerMs < WORKER_WAIT_MS.warning ? null : 'Start more workers, or give them more slots.',
  };
}

/** A duty is late when it missed its turn several times over. */
function upkeep(duties: readonly ChoreReport[]): SystemCheck {
  const judged = duties.map(({ name, everyMs, lagMs }) => ({
    status: statusOf(lagMs, { warning: 3 * everyMs + 10_000, error: 10 * everyMs + 60_000 }),
    words: `"${name}" for ${inSeconds(lagMs)}`,
  }));
  const late = judged.filter(({ status }) => status !== 'pass');
  if (late.length === 0) return pass('upkeep', `${duties.length} duties, none is late.`);
  return {
    name: 'upkeep',
    status: worstOf(late.map(({ status }) => status)),
    summary: `Not done well: ${late.map(({ words }) => words).join(', ')}.`,
    remediation: 'The log of this process says why they fail.',
  };
}

function stuck({ stuck: kinds }: SystemFigures): SystemCheck {
  const found = Object.entries(kinds).filter(([, count]) => count > 0);
  if (found.length === 0) return pass('stuck rows', 'None.');
  const summary = `${found.map(([kind, count]) => `${count} ${kind}`).join(', ')}, for more than ${STUCK_AFTER_S} s.`;
  return { name: 'stuck rows', status: 'error', summary, remediation: 'See docs/operations.md, stuck rows.' };
}

/** What was found wrong is right again; that something wrote it is news for a day. */
function readModels({ views: { comparedAgoMs, mended, mendedAgoMs } }: SystemFigures): SystemCheck {
  const name = 'read models';
  if (mendedAgoMs !== null && mendedAgoMs < DAY_MS) {
    return {
      name,
      status: 'warning',
      summary: `Of ${mended} runs they were wrong and were folded anew, the last ${inSeconds(mendedAgoMs)} ago.`,
      remediation: 'The log of a server names the runs: see what else writes to the database.',
    };
  }
  const status = statusOf(comparedAgoMs, COMPARED_AGO_MS);
  if (status === 'pass') return pass(name, 'None was found wrong within a day.');
  const summary = `Not all were compared with their logs for ${inSeconds(comparedAgoMs)}.`;
  return { name, status, summary, remediation: 'See whether "check read models" fails, here and in other processes.' };
}

function pass(name: string, summary: string): SystemCheck {
  return { name, status: 'pass', summary, remediation: null };
}

function statusOf(ms: number, limits: { warning: number; error: number }): CheckStatus {
  if (ms >= limits.error) return 'error';
  return ms >= limits.warning ? 'warning' : 'pass';
}

function worstOf(statuses: readonly CheckStatus[]): CheckStatus {
  return CHECK_STATUSES[Math.max(...statuses.map((status) => CHECK_STATUSES.indexOf(status)))]!;
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
