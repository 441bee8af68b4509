import { constants } from 'node:os';

interface CommandEnd {
  detail: string;
  /** How it ended when that was not well. */
  fault?: string;
}

/** What a row says of a command that ended: the last line it wrote, or how it ended when that was not well. */
export function endOfCommand({
  output,
  exit_code,
  termination,
}: {
  output: string;
  exit_code?: number;
  termination: string;
}): CommandEnd {
  const fault = termination === 'exited' ? exitFault(exit_code) : termination.replace('_', ' ');
  return fault === undefined ? { detail: output.trimEnd().split('\n').at(-1) ?? '' } : { detail: fault, fault };
}

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** A command that a signal ended has the exit code that a shell gives it: 128 and the number of the signal. */
function exitFault(code: number | undefined): string | undefined {
  if (code === 0) return undefined;
  if (code === undefined) return 'ended by a signal';
  const signal = SIGNALS.get(code - 128);
  return signal === undefined ? `exit ${code}` : `exit ${code} (${signal})`;
}
