/** What the process says when it ends. Public: scripts depend on these numbers. */
export const exitCodes = {
  /** Done; for a followed run: it succeeded. */
  done: 0,
  /** It was clear what was meant, and it did not come about: the run failed, or its state does not allow it. */
  failed: 1,
  /** Nothing can be meant by what was typed: flags, files, an unknown or ambiguous run. It has to be typed differently. */
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

/** What the codes mean, for those who write scripts; the guide has the same table. */
export const exitCodeTable: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'done; the run that was followed has succeeded, also in part'],
  [exitCodes.failed, 'the run failed or was cancelled, a workflow has errors, or what was asked is not possible now'],
  [
    exitCodes.misuse,
    'wrong use: flags, a file that cannot be read, a run that is not there, a request that the server does not take',
  ],
  [exitCodes.unanswered, 'the run waits for an answer, and nobody is there to give it'],
  [exitCodes.refused, 'not signed in, or not allowed'],
  [exitCodes.unreachable, 'the server does not answer'],
  [exitCodes.interrupted, 'Ctrl-C; the run that was followed goes on'],
];

/** What a refusal of the server ends a command with: by its status, and its code where that says more. */
export function exitCodeOfRefusal(status: number, code?: string): ExitCode {
  if (status === 401 || status === 403 || code === 'too_many_wrong_tokens') return exitCodes.refused;
  return status === 400 || status === 404 ? exitCodes.misuse : exitCodes.failed;
}
