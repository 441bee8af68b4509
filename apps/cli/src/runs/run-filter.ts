import { type Command, InvalidArgumentError, Option } from 'commander';
import type { components } from '#libs/api-client';

export type Run = components['schemas']['Run'];
type Column = components['schemas']['BoardColumn'];

/** A state as `ps` shows it. */
export type ShownState = Column | 'cancelled';

export const ACTIVE: readonly ShownState[] = ['pending', 'runnable', 'initializing', 'running', 'blocked'];
/** How runs end. An archived run has ended in one of these. */
export const ENDED: readonly ShownState[] = ['succeeded', 'failed', 'cancelled'];
const STATES: readonly ShownState[] = [...ACTIVE, ...ENDED, 'archived', 'removing'];

/** What is known of the runs that are meant. */
export interface RunFilter {
  status?: readonly ShownState[];
  /** Only archived runs, or none, whatever their state. */
  archived?: boolean;
  label?: Readonly<Record<string, string>>;
  /** A name, or a part of one. */
  workflow?: { name: string } | { part: string };
  /** Created at this moment or later. */
  createdSinceMs?: number;
  /** Ended before this moment. */
  endedBeforeMs?: number;
}

export interface FilterOptions {
  status?: ShownState[];
  label?: Record<string, string>;
  workflow?: string;
}

/** The flags that say which runs are meant by what they are; `workflow` tells how much of its name is enough. */
export function withFilter(command: Command, workflow: 'name' | 'part'): Command {
  return command
    .addOption(new Option('--status <state...>', 'in one of these states, archived or not').choices(STATES))
    .option('--label <KEY=VALUE>', 'has this label; may be repeated', addLabel)
    .option(
      '--workflow <name>',
      workflow === 'name' ? 'of the workflow with this name' : "a part of the workflow's name",
    );
}

function addLabel(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at > 0) return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  throw new InvalidArgumentError('Give it as KEY=VALUE.');
}

/** The columns of the board in which such runs stand; undefined where any state is meant. */
export function boardColumnsOf({ status, archived }: RunFilter): Column[] | undefined {
  if (archived) return ['archived'];
  if (!status) return undefined;
  const columns = status.flatMap((state): Column[] => {
    if (state === 'cancelled') return ['failed', 'archived'];
    return state === 'succeeded' || state === 'failed' ? [state, 'archived'] : [state];
  });
  return [...new Set(columns)].filter((column) => archived !== false || column !== 'archived');
}

/** Whether a run, of a column that was asked for, is meant. */
export function isMeant(run: Run, { status, label = {}, workflow, endedBeforeMs }: RunFilter): boolean {
  const { completed_at } = run.timestamps;
  return (
    (status === undefined || isIn(run, status)) &&
    Object.entries(label).every(([key, value]) => run.labels[key] === value) &&
    (workflow === undefined || isOf(run, workflow)) &&
    (endedBeforeMs === undefined || (completed_at !== null && Date.parse(completed_at) < endedBeforeMs))
  );
}

/** How a run ended; undefined while it has not. */
export function endOf({ lifecycle: { status } }: Pick<Run, 'lifecycle'>): ShownState | undefined {
  if (status.kind === 'succeeded') return 'succeeded';
  if (status.kind === 'failed') return status.reason === 'cancelled' ? 'cancelled' : 'failed';
  return status.kind === 'dead' ? 'failed' : undefined;
}

function isIn(run: Run, states: readonly ShownState[]): boolean {
  const end = endOf(run);
  return end === undefined || states.includes(end) || (run.lifecycle.archived && states.includes('archived'));
}

function isOf({ workflow: { slug, name, graph_name } }: Run, meant: NonNullable<RunFilter['workflow']>): boolean {
  const names = [slug, name, graph_name].flatMap((called) => called?.toLowerCase() ?? []);
  if ('name' in meant) return names.includes(meant.name.toLowerCase());
  return names.some((called) => called.includes(meant.part.toLowerCase()));
}
