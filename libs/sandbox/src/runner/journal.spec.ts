import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal, readJournals } from './journal.js';
import { epochFolder, journalPath } from './run-folder.js';

describe('the journals of a run', () => {
  const started = { attempt: 'a', epoch: 1, pid: 7, timeoutMs: 1_000 };
  const ended = { termination: 'exited', exitCode: 0, durationMs: 3, bytes: 0 } as const;
  let run: string;
  let folder: string;

  beforeEach(() => {
    run = mkdtempSync(join(tmpdir(), 'runyard-'));
    folder = epochFolder(run, 1);
    mkdirSync(folder);
  });
  afterEach(() => rmSync(run, { recursive: true }));

  it('tell what all runners know of an attempt', () => {
    const later = epochFolder(run, 2);
    mkdirSync(later);
    const [one, two] = [new Journal(folder, 'one'), new Journal(later, 'two')];
    one.started(started);
    two.started({ ...started, attempt: 'b', epoch: 2 });
    one.ended('a', ended);
    expect(readJournals(run).get('a')).toMatchObject({ epoch: folder, started, ended });
    expect(readJournals(run).get('b')?.ended).toBeUndefined();
    one.close();
    two.close();
  });

  it('know nothing of an attempt whose line was cut', () => {
    const journal = new Journal(folder, 'one');
    journal.started(started);
    appendFileSync(journalPath(folder, 'one'), '{"attempt":"a","ended":{"termin');
    expect(readJournals(run).get('a')).toEqual({ epoch: folder, started });
    journal.close();
  });

  it('are empty for a run that is not there', () => {
    expect(readJournals(join(run, 'nowhere')).size).toBe(0);
  });
});
