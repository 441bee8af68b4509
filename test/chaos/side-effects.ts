import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Effects {
  begun: number;
  ended: number;
  faults: string[];
}

/** Where commands note what they do, one file for each run. */
export class SideEffects {
  private constructor(private readonly directory: string) {}

  static async in(directory: string): Promise<SideEffects> {
    await mkdir(directory, { recursive: true });
    return new SideEffects(directory);
  }

  /** A script that takes this long and notes its begin, its middle and its end. */
  script(seconds: number): string {
    const file = `${this.directory}/\${RUNYARD_ATTEMPT_ID%%/*}`;
    const note = (word: string): string => `echo "$RUNYARD_ATTEMPT_ID ${word}" >> "${file}"`;
    const rest = `sleep ${seconds / 2}`;
    return [note('begin'), 'echo at work', rest, note('middle'), rest, note('end')].join('; ');
  }

  /** How many commands began, and what they did that they must not do; `more` finds what else is wrong with a run's. */
  async examine(more: (runId: string, notes: readonly Note[]) => Iterable<string> = () => []): Promise<Effects> {
    const faults: string[] = [];
    let begun = 0;
    let ended = 0;
    for (const run of await readdir(this.directory)) {
      const notes = notesIn(await readFile(join(this.directory, run), 'utf8'));
      begun += notes.filter(({ word }) => word === 'begin').length;
      ended += notes.filter(({ word }) => word === 'end').length;
      faults.push(...[...sideEffectFaults(notes), ...more(run, notes)].map((fault) => `${run}: ${fault}`));
    }
    return { begun, ended, faults };
  }
}

/** One line: what which attempt of which stage did, in which epoch it began. */
export interface Note {
  attemptId: string;
  stageId: string;
  epoch: number;
  word: string;
}

/** The lines of a ledger; the id of an attempt is `run/stage/attempt/epoch`. */
export function notesIn(text: string): Note[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [attemptId = '', word = ''] = line.split(' ');
      const parts = attemptId.split('/');
      return { attemptId, stageId: parts.slice(1, -2).join('/'), epoch: Number(parts.at(-1)), word };
    });
}

/** An attempt that began twice, and an epoch that was still at work on a stage when a later one was. */
export function sideEffectFaults(notes: readonly Note[]): string[] {
  const faults: string[] = [];
  const begun = new Set<string>();
  const latest = new Map<string, number>();
  for (const { attemptId, stageId, epoch, word } of notes) {
    if (word === 'begin' && begun.has(attemptId)) faults.push(`attempt ${attemptId} began twice`);
    if (word === 'begin') begun.add(attemptId);
    const newest = latest.get(stageId) ?? epoch;
    if (epoch < newest) faults.push(`${attemptId} was at work while epoch ${newest} was`);
    latest.set(stageId, Math.max(newest, epoch));
  }
  return faults;
}
