import { type Command, Option } from 'commander';
import { PATIENCE_MS } from '#libs/api-client';
import type { FollowStyle } from '../follow/follow.js';
import { spanOfTime } from './span-of-time.js';

/** The flags of a command that follows a run. */
export interface FollowOptions {
  verbose?: boolean;
  reconnectFor: number;
}

export const VERBOSE = ['-v, --verbose', 'show every event, and what commands print while they do'] as const;

export function withFollowOptions(command: Command): Command {
  return command
    .option(...VERBOSE)
    .addOption(
      new Option('--reconnect-for <duration>', 'how long to try again when the server does not answer')
        .argParser(spanOfTime)
        .default(PATIENCE_MS, '2m'),
    );
}

export function followStyle({ verbose = false, reconnectFor }: FollowOptions): FollowStyle {
  return { verbose, patienceMs: reconnectFor };
}
