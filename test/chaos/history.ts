import type { LoggedEvent } from '../support/checker/logged-event.js';

export type OperationKind = 'create' | 'start' | 'answer' | 'cancel';

/** What a client knows of one operation: it was done, it was refused, or nobody ever said. */
export type Acknowledgement = 'acknowledged' | 'refused' | 'unknown';

export interface Operation {
  kind: OperationKind;
  runId: string;
  questionId?: string | undefined;
  acknowledgement: Acknowledgement;
  /** From the first try to the last word. */
  tookMs: number;
  /** The status of each try; 0 where no reply came. */
  statuses: readonly number[];
}

/** Everything that clients did, in the order in which it ended. */
export class History {
  readonly operations: Operation[] = [];

  add(operation: Operation): void {
    this.operations.push(operation);
  }

  /** Of all operations that were not refused, how many are known to be done, from 0 to 1. */
  get acknowledgedShare(): number {
    const wanted = this.operations.filter(({ acknowledgement }) => acknowledgement !== 'refused');
    const done = wanted.filter(({ acknowledgement }) => acknowledgement === 'acknowledged');
    return wanted.length === 0 ? 1 : done.length / wanted.length;
  }

  /** How many tries the server answered with a fault of its own. */
  get serverFaults(): number {
    return this.count((status) => status >= 500);
  }

  /** How many tries got no reply. */
  get lostReplies(): number {
    return this.count((status) => status === 0);
  }

  private count(is: (status: number) => boolean): number {
    return this.operations.flatMap(({ statuses }) => statuses).filter(is).length;
  }
}

/** What was acknowledged and is not in the log, or is there twice; and runs that nobody asked for. */
export function* historyFaults({ operations }: History, logs: ReadonlyMap<string, readonly LoggedEvent[]>) {
  for (const { kind, runId, questionId, acknowledgement } of operations) {
    if (acknowledgement !== 'acknowledged') continue;
    const found = (logs.get(runId) ?? []).filter((event) => tells(event, kind, questionId));
    if (found.length !== 1) yield `${runId}: an acknowledged ${kind} is ${found.length} times in the log`;
  }
  const answered = operations.filter(
    ({ kind, acknowledgement }) => kind === 'answer' && acknowledgement === 'acknowledged',
  );
  const questions = new Set(answered.map(({ questionId }) => questionId));
  if (questions.size < answered.length) yield `${answered.length} answers to ${questions.size} questions were accepted`;

  const created = new Set(operations.filter(({ kind }) => kind === 'create').map(({ runId }) => runId));
  for (const runId of logs.keys()) if (!created.has(runId)) yield `${runId}: nobody created this run`;
}

function tells(
  { event, questionId, isCopy, isResume }: LoggedEvent,
  kind: OperationKind,
  asked: string | undefined,
): boolean {
  switch (kind) {
    case 'create':
      return event === 'run.created';
    case 'start':
      return event === 'run.start_requested' && !isResume && !isCopy;
    case 'answer':
      return event === 'interview.completed' && questionId === asked;
    case 'cancel':
      return event === 'run.cancel.requested';
  }
}
