/** What the process says when it ends. Public: scripts depend on these numbers. */
export const exitCodes = {
  /** Done; for a followed run: it succeeded. */
  done: 0,
  /** The run failed, or anything without a number of its own went wrong. */
  failed: 1,
  /** Wrong use: flags, files, an unknown or ambiguous run. */
  misuse: 2,
  /** A run waits for an answer, and nobody is there to give it. */
  unanswered: 3,
  /** Not signed in, or not allowed. */
  refused: 4,
  unreachable: 5,
  /** Ctrl-C; what was followed goes on. */
  interrupted: 130,
} as const;

/** What the codes mean, for those who write scripts. */
export const exitCodeTable: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'done; a followed run succeeded, also in part'],
  [exitCodes.failed, 'the run failed, a workflow has errors, or something else went wrong'],
  [exitCodes.misuse, 'wrong use: flags, a file that is missing or cannot be read, an unknown run'],
  [exitCodes.unanswered, 'the run waits for an answer, and nobody is there to give it'],
  [exitCodes.refused, 'not signed in, or not allowed'],
  [exitCodes.unreachable, 'no server answers'],
  [exitCodes.interrupted, 'Ctrl-C; the run that was followed goes on'],
];

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
