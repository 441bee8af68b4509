/** How a command ended, as the runner records it in its journal and as it answers a start or an adoption. */
export interface EndRecord {
  termination: 'exited' | 'timed_out' | 'cancelled';
  exitCode?: number;
  durationMs: number;
  /** Bytes the command wrote, kept or not. */
  bytes: number;
}

/**
 * What a provider asks of a runner, one JSON object a line. `run` is the folder of the run: it names the run on this
 * host. A runner refuses whatever comes under an epoch lower than the highest it has seen for that run.
 */
export type Request =
  /** Makes the run known, with what all its commands share. */
  | {
      do: 'open';
      run: string;
      epoch: number;
      leaseGoodAtMs: number;
      workingDirectory: string;
      env: Readonly<Record<string, string>>;
    }
  /** A later epoch takes the run over from the one that opened it here; harmless for a run that is not known. */
  | { do: 'takeOver'; run: string; epoch: number; leaseGoodAtMs: number }
  /** Starts a command; the answer is its end. */
  | ({ do: 'start'; run: string; epoch: number; follow: boolean } & CommandRequest)
  /** Follows a command that runs here, which then belongs to this epoch; the answer is its end, or `unknown`. */
  | { do: 'adopt'; run: string; epoch: number; attempt: string; follow: boolean }
  | { do: 'cancel'; run: string; epoch: number; attempt: string }
  | { do: 'keepAlive'; run: string; epoch: number; leaseGoodAtMs: number }
  /** Kills what epochs below this one started here, but for those to be adopted. */
  | { do: 'sweep'; run: string; below: number; spare: readonly string[] }
  | { do: 'release'; run: string; epoch: number }
  /** Kills and forgets everything of the run, up to this epoch. */
  | { do: 'remove'; run: string; epoch: number }
  /** Kills the runs this connection holds; the runner ends as soon as nobody else's command is left. */
  | { do: 'shutdown' };

export interface CommandRequest {
  attempt: string;
  language: 'shell' | 'python';
  script: string;
  env: Readonly<Record<string, string>>;
  /** A file with the standard input; the runner removes it. */
  stdinFile?: string;
  timeoutMs: number;
}

/** A request is answered once, by any but `output`, under the number it was sent with; number 0 wants no answer. */
export type RunnerReply =
  | { kind: 'output'; bytes: number }
  | { kind: 'ended'; end: EndRecord }
  | { kind: 'done' }
  | { kind: 'unknown' }
  | { kind: 'refused'; reason: string };

export type Numbered<T> = T & { id: number };

/** Splits a stream of text into lines, however it was cut; a line may be many megabytes long. */
export function lineSplitter(onLine: (line: string) => void): (text: string) => void {
  let pending: string[] = [];
  return (text) => {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      pending.push(text.slice(from, end));
      const line = pending.join('');
      pending = [];
      from = end + 1;
      onLine(line);
    }
    if (from < text.length) pending.push(text.slice(from));
  };
}

export function toLine(message: Numbered<Request> | Numbered<RunnerReply>): string {
  return `${JSON.stringify(message)}\n`;
}
