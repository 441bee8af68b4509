import type { HookEvent } from '#libs/settings';
import type { Hook, HookList } from '../definition/hook-list.js';
import type { HookPoint } from '../definition/hook-point.js';
import { PROCEED, type HookDecision } from './hook-decision.js';

/** Hooks that a worker has to ask now. */
export interface HookWork {
  /** The moment's name with that of its path: branches may ask about the same node at the same time. */
  id: string;
  /** The path that waits for them. */
  path: string;
  point: HookPoint;
  hooks: readonly Hook[];
}

interface PendingHook {
  work: HookWork;
  decision?: HookDecision;
}

/**
 * What the paths of a run asked their hooks, and what these said. It is no part of the state: a path that stands
 * before a hook stands in the log before what the hook decides about, so a worker that takes over asks again.
 */
export class PendingHooks {
  /** A path asks about an event once, until it moves on. */
  private readonly byPath = new Map<string, Map<HookEvent, PendingHook>>();
  private fresh: HookWork[] = [];

  constructor(private readonly hooks: HookList) {}

  /** What the hooks of a moment say; undefined while they are asked. Asking again is not asking twice. */
  ask(path: string, event: HookEvent, point: () => Omit<HookPoint, 'event'>): HookDecision | undefined {
    if (!this.hooks.has(event)) return PROCEED;
    const asked = this.byPath.get(path)?.get(event);
    if (asked) return asked.decision;
    const moment = { event, ...point() };
    const hooks = this.hooks.concernedBy(event, moment.facts);
    if (hooks.length === 0) return PROCEED;
    const work: HookWork = { id: `${path}/${event}/${moment.id}`, path, point: moment, hooks };
    this.byPath.set(path, (this.byPath.get(path) ?? new Map<HookEvent, PendingHook>()).set(event, { work }));
    this.fresh.push(work);
    return undefined;
  }

  /** Hooks said what they say. It is ignored when their path has gone on without them. */
  settle({ id, path, point }: HookWork, decision: HookDecision): void {
    const asked = this.byPath.get(path)?.get(point.event);
    if (asked?.work.id === id) asked.decision = decision;
  }

  /** Whether a path waits for hooks. */
  isOpen(path: string): boolean {
    for (const { decision } of this.byPath.get(path)?.values() ?? []) if (!decision) return true;
    return false;
  }

  get areOpen(): boolean {
    for (const path of this.byPath.keys()) if (this.isOpen(path)) return true;
    return false;
  }

  /** A path moved on. */
  forget(path: string): void {
    this.byPath.delete(path);
  }

  /** Forgets the paths that are gone and returns what was still asked on them. */
  forgetAllBut(isThere: (path: string) => boolean): string[] {
    const gone = [...this.byPath.keys()].filter((path) => !isThere(path));
    const open = gone.flatMap((path) => [...this.byPath.get(path)!.values()].filter(({ decision }) => !decision));
    for (const path of gone) this.forget(path);
    this.fresh = this.fresh.filter(({ path }) => isThere(path));
    return open.map(({ work }) => work.id);
  }

  /** What is to be asked since the last look. */
  take(): HookWork[] {
    const { fresh } = this;
    this.fresh = [];
    return fresh;
  }
}
