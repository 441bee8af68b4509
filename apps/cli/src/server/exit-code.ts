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

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
