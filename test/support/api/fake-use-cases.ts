import { createHash } from 'node:crypto';
import { type RunId } from '#libs/kernel';
import { type Caller } from '../../../apps/api/src/edge/auth/caller.js';
import { RunLines } from '../../../apps/api/src/edge/auth/run-lines.js';
import { TokenDirectory } from '../../../apps/api/src/edge/auth/token-directory.js';
import { type EventEnvelope } from '../../../apps/api/src/resources/run-events/dto/event-envelope.js';
import { type RunResponse } from '../../../apps/api/src/resources/runs/dto/run-response.js';
import { type RunStageResponse } from '../../../apps/api/src/resources/runs/dto/run-stage-response.js';
import { type ArchiveResult, RunHousekeeping } from '../../../apps/api/src/resources/runs/run-housekeeping.js';
import {
  type Page,
  type Removal,
  RunControl,
  RunQueries,
  RunSubmission,
} from '../../../apps/api/src/resources/runs/run-use-cases.js';
import {
  ProcessReadiness,
  RequestMeter,
  type AnsweredRequest,
} from '../../../apps/api/src/resources/system/process-reports.js';
import { RunStorage } from '../../../apps/api/src/resources/system/run-storage.js';
import { type PruneRunsResponse } from '../../../apps/api/src/resources/system/dto/prune.js';
import { aRun } from './samples.js';

/** What the use cases were asked, in order, each as its arguments. */
export type Asked = unknown[][];

export class FakeSubmission extends RunSubmission {
  readonly asked: Asked = [];
  failure: Error | undefined;

  async submit(...args: Parameters<RunSubmission['submit']>): Promise<RunResponse> {
    this.asked.push(args);
    if (this.failure) throw this.failure;
    return aRun();
  }

  async retry(...args: Parameters<RunSubmission['retry']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }
}

export class FakeControl extends RunControl {
  readonly asked: Asked = [];
  removals: Removal[] = [];
  left: Awaited<ReturnType<RunControl['remove']>>;

  async start(...args: Parameters<RunControl['start']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async cancel(...args: Parameters<RunControl['cancel']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async approve(...args: Parameters<RunControl['approve']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async deny(...args: Parameters<RunControl['deny']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async pause(...args: Parameters<RunControl['pause']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async unpause(...args: Parameters<RunControl['unpause']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async remove(...args: Parameters<RunControl['remove']>): ReturnType<RunControl['remove']> {
    this.asked.push(args);
    return this.left;
  }

  async removeAll(...args: Parameters<RunControl['removeAll']>): Promise<Removal[]> {
    this.asked.push(args);
    return this.removals;
  }
}

export class FakeHousekeeping extends RunHousekeeping {
  readonly asked: Asked = [];
  results: ArchiveResult[] = [];

  async rename(...args: Parameters<RunHousekeeping['rename']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async archive(...args: Parameters<RunHousekeeping['archive']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async unarchive(...args: Parameters<RunHousekeeping['unarchive']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async archiveAll(...args: Parameters<RunHousekeeping['archiveAll']>): Promise<ArchiveResult[]> {
    this.asked.push(args);
    return this.results;
  }

  async unarchiveAll(...args: Parameters<RunHousekeeping['unarchiveAll']>): Promise<ArchiveResult[]> {
    this.asked.push(args);
    return this.results;
  }

  async link(...args: Parameters<RunHousekeeping['link']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }
}

export class FakeQueries extends RunQueries {
  readonly asked: Asked = [];

  async get(): Promise<RunResponse> {
    return aRun();
  }

  async list(...args: Parameters<RunQueries['list']>): Promise<Page<RunResponse>> {
    this.asked.push(args);
    return { data: [aRun()], meta: { has_more: false, total: 1 } };
  }

  async resolve(...args: Parameters<RunQueries['resolve']>): Promise<RunResponse> {
    this.asked.push(args);
    return aRun();
  }

  async stages(...args: Parameters<RunQueries['stages']>): Promise<Page<RunStageResponse>> {
    this.asked.push(args);
    return { data: [], meta: { has_more: false, total: 0 } };
  }

  async events(
    ...args: Parameters<RunQueries['events']>
  ): Promise<{ data: EventEnvelope[]; meta: { has_more: boolean } }> {
    this.asked.push(args);
    return { data: [], meta: { has_more: false } };
  }

  async settings(): Promise<never> {
    throw new Error('not part of these specs');
  }

  async billing(): Promise<never> {
    throw new Error('not part of these specs');
  }

  async graphSource(): Promise<string> {
    return 'digraph Demo { start -> exit }';
  }

  async graphSvg(...args: Parameters<RunQueries['graphSvg']>): Promise<string> {
    this.asked.push(args);
    return '<svg/>';
  }
}

export class FakeRunStorage extends RunStorage {
  readonly asked: Asked = [];

  async usage(): Promise<never> {
    throw new Error('not part of these specs');
  }

  async unreadable(): Promise<never> {
    throw new Error('not part of these specs');
  }

  async prune(...args: Parameters<RunStorage['prune']>): Promise<PruneRunsResponse> {
    this.asked.push(args);
    const nothing = { total_count: 0, total_size_bytes: 0, deleted_count: 0, freed_bytes: 0 };
    return { dry_run: args[1].dry_run, runs: [], ...nothing };
  }
}

export class FakeReadiness extends ProcessReadiness {
  now: readonly string[] = [];

  async faults(): Promise<readonly string[]> {
    return this.now;
  }
}

export class FakeMeter extends RequestMeter {
  readonly answered: Omit<AnsweredRequest, 'seconds'>[] = [];

  add({ seconds: _, ...request }: AnsweredRequest): void {
    this.answered.push(request);
  }
}

/** Knows the tokens it was told. */
export class FakeTokens extends TokenDirectory {
  looks = 0;
  private readonly callers = new Map<string, Caller>();

  allow(token: string, caller: Caller): void {
    this.callers.set(createHash('sha256').update(token).digest('hex'), caller);
  }

  revokeAll(): void {
    this.callers.clear();
  }

  async findAll(sha256Hexes: readonly string[]): Promise<ReadonlyMap<string, Caller>> {
    this.looks += 1;
    return new Map([...this.callers].filter(([digest]) => sha256Hexes.includes(digest)));
  }
}

/** Knows the descendants it was told. */
export class FakeLines extends RunLines {
  readonly known = new Set<string>();

  async descends({ runId }: { runId: RunId }): Promise<boolean> {
    return this.known.has(runId);
  }
}
