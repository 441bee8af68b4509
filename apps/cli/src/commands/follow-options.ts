import { type Command, InvalidArgumentError, Option } from 'commander';
import { PATIENCE_MS } from '#libs/api-client';
import type { FollowStyle } from '../follow/follow.js';
import { spanOfTime } from '../options/span-of-time.js';

const LEAST_PATIENCE_MS = 1_000;

/** The flags of a command that follows a run. */
export interface FollowFlags {
  verbose?: boolean;
  reconnectFor: number;
}

export const VERBOSE = ['-v, --verbose', 'show every event, and what commands print while they do'] as const;

export function withFollowOptions(command: Command): Command {
  return command
    .option(...VERBOSE)
    .addOption(
      new Option('--reconnect-for <duration>', 'how long to try again when the server does not answer')
        .argParser(patience)
        .default(PATIENCE_MS, '2m'),
    );
}

/** A server needs a moment for any answer. */
function patience(text: string): number {
  const ms = spanOfTime(text);
  if (ms >= LEAST_PATIENCE_MS) return ms;
  throw new InvalidArgumentError('Give 1s at least.');
}

export function followStyle({ verbose = false, reconnectFor }: FollowFlags): FollowStyle {
  return { verbose, patienceMs: reconnectFor };
}
