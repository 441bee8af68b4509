import type { Principal, QuestionAnswer } from '#libs/events';

interface Asked {
  actor: Principal;
}

/** A run that starts another one does not decide alone: a person is asked for consent each time. */
interface Start extends Asked {
  needsConsent: boolean;
}

/** What each command says beside what it is. Those without an actor come from the server itself, when their time has come. */
interface Commands {
  start: Start;
  resume: Start;
  approve: Asked;
  deny: Asked & { reason: string | undefined };
  cancel: Asked;
  pause: Asked;
  unpause: Asked;
  answer: Asked & { questionId: string; answer: QuestionAnswer };
  archive: Asked;
  unarchive: Asked;
  remove: Asked;
  rename: Asked & { title: string; presentTitle: string };
  /** The lineage is that of the new parent, itself included, as it is while nobody else can link. */
  link: Asked & { parentId: string; previousParentId: string | null; lineage: ReadonlySet<string> };
  unlink: Asked & { previousParentId: string | null };
  /** Another run goes on from this checkpoint in its place. */
  rewind: Asked & { newRunId: string; checkpoint: { ordinal: number; nodeId: string; visit: number } };
  /** The questions of a paused run that were due at this moment, by the database's clock. */
  time_out: { dueAtMs: number };
  /** A cancel that no worker was there for, in this epoch. */
  end_unheard: { epoch: number };
}

export type CommandKind = keyof Commands;

/** A command of one of these kinds. */
export type CommandOf<Kind extends CommandKind> = { [K in Kind]: { kind: K } & Commands[K] }[Kind];

/** What is done with one run that is stored. */
export type RunCommand = CommandOf<Exclude<CommandKind, LinkCommand['kind']>>;

/** What is decided by the head alone, whatever the run does meanwhile. */
export type HousekeepingCommand = CommandOf<'archive' | 'unarchive' | 'rename' | 'remove'>;

/** What is decided by the head, and by who is whose parent. */
export type LinkCommand = CommandOf<'link' | 'unlink'>;
