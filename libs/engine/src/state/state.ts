import type {
  FailureCategory,
  FailureDetail,
  KeptMarks,
  OutcomeStatus,
  Question,
  QuestionAnswer,
  TokenBilling,
} from '#libs/events';
import type { Json } from '#libs/kernel';
import type { Fidelity } from '#libs/language';

/**
 * Where a run stands: a fold of its log and nothing else, so that any worker that reads the log stands at the same
 * place. It is plain data; a snapshot is this value as JSON.
 */
export interface RunState {
  /** `created` until the workspace is ready, then `walking`, until a terminal event. */
  phase: 'created' | 'walking' | 'ended';
  cancelRequested: boolean;
  /** `requested`: nothing new begins, and the run rests once nothing is at work any more. */
  pause: 'none' | 'requested' | 'paused';
  /** Whether the log says that people are waited for. */
  blocked: boolean;
  /** When the wall time of the run began, in milliseconds since the epoch. */
  startedAt: number | null;
  /** One cursor a path that is being walked: the main one, branches, sub-workflows. */
  cursors: Record<string, Cursor>;
  /** How often each node was executed, over all cursors: forms the stage ids. */
  executions: Record<string, number>;
  /** The last outcome of each node, wherever it ran: what goal gates look at. */
  outcomes: Record<string, OutcomeStatus>;
  /** Of the nodes whose last outcome is a failure: why they failed, in one line. */
  failures: Record<string, string>;
  /** Where its commands work; null before it has a sandbox. */
  workDir: string | null;
  stagesStarted: number;
  checkpoints: number;
  /** How often a person had the failed run go on. */
  resumes: number;
  /** Where a resume goes on, and what was done since that was written. */
  resumeAt: ResumePoint | null;
  /** Stages that a resume gave up, by their place: the next stage there takes it. */
  givenUp: Record<string, string>;
  toolTimeMs: number;
  inferenceTimeMs: number;
  /** All model calls so far; null while there was none. */
  billing: TokenBilling | null;
}

export interface ResumePoint {
  node: string;
  /** The nodes that the main path entered since: a resume takes their visits back. */
  entered: string[];
  /** The last stage of each place since, on all paths. */
  stages: Record<string, string>;
}

/** What stages wrote. */
export interface Written {
  context: Record<string, Json>;
  /** Where in that the server put references to kept values: nothing else is one, whatever it looks like. */
  kept: KeptMarks;
}

/**
 * A place on the graph with what belongs to the path that led there. A branch and a sub-workflow see what the path
 * they left holds, and write only into their own records; their host stands still meanwhile.
 */
export interface Cursor extends Written {
  /** The stage that opened this path, and the path it is on. Absent on the main path. */
  host?: { cursor: string; stageId: string };
  /** The branch's place among its siblings. Absent on the main path and in a sub-workflow. */
  branch?: { index: number; itemLabel?: string };
  /** Names the graph that is walked: empty for the run's own, `<manager>.` for a manager's child. */
  workflow: string;
  position: Position;
  startedAt: number;
  steps: number;
  /** How much its last stage is told; null before the first. */
  telling: Telling | null;
  /** The last node of each conversation that was gone on with. */
  threads: Record<string, string>;
  /** The edge that led here, unless it was a jump. */
  arrivedBy: { from: string; label?: string; condition?: string } | null;
  /** How often this path entered each node; limits count these. */
  visits: Record<string, number>;
  /** How often the last stage of each node was tried again. */
  retries: Record<string, number>;
  /** What the last recorded stage reported. A conditional node does not report: it looks through to this. */
  last: LastReport | null;
  /** The nodes whose stages failed one after the other up to here, the first one first. */
  failing: string[];
  /** Repetitions of failure signatures: all of them, and those that loop restarts left behind. */
  signatures: { failures: Record<string, number>; restarts: Record<string, number> };
  /** What was done on this path, for the models that are told of it; empty in a workflow without models. */
  history: HistoryEntry[];
}

/** How much a stage is told, and the conversation it could go on with. */
export interface Telling {
  fidelity: Fidelity;
  threadId: string | null;
}

export interface HistoryEntry {
  node: string;
  stageId: string;
  status: OutcomeStatus;
  notes?: string;
  reason?: string;
  /** It wrote `command.output`. */
  hasOutput?: true;
}

export interface LastReport {
  node: string;
  status: OutcomeStatus;
  preferredLabel?: string;
  suggestedNextIds?: string[];
  failureCategory?: FailureCategory;
  failureMessage?: string;
  failureCauses?: string[];
  failureSignature?: string;
}

export type Position =
  /** About to enter a node. */
  | { at: 'node'; node: string }
  /** Inside one. */
  | { at: 'stage'; stage: OpenStage }
  /** Its outcome is recorded, the way on is not. It is routed again, never executed again. */
  | { at: 'outcome'; node: string; stageId: string; status: OutcomeStatus }
  /** A sub-workflow that is over. */
  | { at: 'end'; node: string; status: OutcomeStatus; failure?: FailureDetail };

export interface OpenStage {
  id: string;
  node: string;
  execution: number;
  attempt: number;
  maxAttempts: number;
  attemptId: string;
  /**
   * What this attempt was called under the workers that were lost, the last one first: one of them may have begun a
   * command that still runs, or whose end is kept. Of very many the first are forgotten.
   */
  lostAttemptIds: string[];
  /** The epoch whose worker executes it. */
  epoch: number;
  index: number;
  startedAt: number;
  doing: Doing;
}

export type Doing =
  | { what: 'working' }
  | { what: 'waiting'; until: number }
  | { what: 'backing_off'; until: number }
  /** Asks people. `open` until somebody answered or the time is over. */
  | { what: 'asking'; asked: AskedQuestion | null }
  /** Its branches are walked: so many were begun, and these are over. */
  | { what: 'forked'; branches: number; begun: number; over: BranchEnd[] }
  /** Its sub-workflow is walked; it looks at it again at `until`. */
  | { what: 'supervising'; cycle: number; until: number };

/** What is left of a branch: how it ended, and what its stages wrote. */
export interface BranchEnd extends Written {
  index: number;
  itemLabel?: string;
  status: OutcomeStatus;
  /** Which stage was the first to fail it and why, in one line. */
  failure?: string;
}

export interface AskedQuestion {
  question: Question;
  askedAt: number;
  /** When nobody need answer any more; null means never. */
  until: number | null;
  /** A withdrawal is said before its stage ends, so a worker may be lost in between. */
  end: { by: 'answer'; answer: QuestionAnswer } | { by: 'timeout' } | { by: 'withdrawal'; reason: string } | null;
}

export const MAIN_CURSOR = 'main';

export function initialState(startNode: string): RunState {
  return {
    phase: 'created',
    cancelRequested: false,
    pause: 'none',
    blocked: false,
    startedAt: null,
    cursors: { [MAIN_CURSOR]: newCursor(startNode, 0) },
    executions: {},
    outcomes: {},
    failures: {},
    workDir: null,
    stagesStarted: 0,
    checkpoints: 0,
    resumes: 0,
    resumeAt: null,
    givenUp: {},
    toolTimeMs: 0,
    inferenceTimeMs: 0,
    billing: null,
  };
}

export function newCursor(node: string, startedAt: number): Cursor {
  return {
    workflow: '',
    position: { at: 'node', node },
    startedAt,
    steps: 0,
    telling: null,
    threads: {},
    arrivedBy: null,
    visits: {},
    retries: {},
    context: {},
    kept: {},
    last: null,
    failing: [],
    signatures: { failures: {}, restarts: {} },
    history: [],
  };
}
