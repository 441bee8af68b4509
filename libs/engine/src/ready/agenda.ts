import type { StampedEvent, UnknownEvent } from '#libs/events';
import { held } from '../state/by-name.js';
import { Heap } from './heap.js';
import { dueAt, situationOf, type Situation } from './situation.js';
import { MAIN_CURSOR, type Cursor, type RunState } from '../state/state.js';

/** A path as it stood after the last event about it. */
interface Entry {
  readonly path: string;
  /** Paths are moved in the order in which they were opened. */
  readonly place: number;
  readonly host: Entry | undefined;
  readonly opened: Set<Entry>;
  /** Branches it opened that rest between two attempts. */
  resting: number;
  situation: Situation | 'new' | 'gone';
  due: Due | null;
  isAwake: boolean;
}

/** When something is due on a path by itself. It holds until the path is looked at again. */
interface Due {
  readonly at: number;
  readonly entry: Entry;
}

/**
 * Which paths may be able to move, and when the others will be, so that a step costs what it changes and not what is
 * open. A path that cannot move sleeps; an event about it or about a path it opened wakes it, and so does its time.
 *
 * It is an index beside the state, which it is built from and followed by: told of every event after the state has
 * folded it, it knows what one built anew would know.
 */
export class Agenda {
  private readonly entries = new Map<string, Entry>();
  private readonly counts = new Map<Entry['situation'], number>();
  /** The awake paths of the round that is under way, and those of the next one. */
  private readonly awake = new Heap<Entry>((a, b) => a.place < b.place);
  private later: Entry[] = [];
  private readonly timers = new Heap<Due>(isSooner);
  private readonly deadlines = new Heap<Due>(isSooner);
  private now = 0;
  private places = 0;
  /** Only places between these two have their turn in the round that is under way. */
  private moving = Infinity;
  private horizon = 0;

  constructor(private readonly state: RunState) {
    this.lookAtAll();
  }

  /** An event was folded into the state. */
  follow(event: StampedEvent | UnknownEvent): void {
    if (event.event === 'run.start_requested' || event.event === 'run.unpaused') this.lookAtAll();
    else this.look(event.cursor_id ?? MAIN_CURSOR);
  }

  /** Wakes the paths on which something is due by now. What is left of it then waits for something else than time. */
  fallDue(now: number): void {
    this.now = now;
    for (const clock of [this.timers, this.deadlines]) {
      for (let next; (next = soonest(clock)) && next.at <= now;) this.look(clock.take()!.entry.path);
    }
  }

  /**
   * The next moment at which something is due by itself, beyond what was due already. While a run is paused only
   * questions run out of time.
   */
  get nextDue(): number | null {
    const timer = this.state.pause === 'none' ? soonest(this.timers)?.at : undefined;
    const deadline = soonest(this.deadlines)?.at;
    if (timer === undefined || deadline === undefined) return timer ?? deadline ?? null;
    return Math.min(timer, deadline);
  }

  /**
   * The awake paths in their order; each stays awake until it is put to sleep. What is opened meanwhile, or wakes when
   * its turn is over, is of the next round.
   */
  *round(): Iterable<string> {
    this.horizon = this.places;
    for (const entry of this.later.splice(0)) this.awake.put(entry);
    for (let entry; (entry = this.awake.take());) {
      if (!entry.isAwake) continue;
      this.moving = entry.place;
      try {
        yield entry.path;
      } finally {
        this.moving = Infinity;
        if (entry.isAwake) this.later.push(entry);
      }
    }
  }

  /** A path cannot move. What is due and only finds no room asks again in every round. */
  sleep(path: string): void {
    const entry = this.entries.get(path);
    if (entry) entry.isAwake = entry.due !== null && entry.due.at <= this.now;
  }

  /** A path may be able to move although nothing was said of it: its hooks spoke. */
  rouse(path: string): void {
    const entry = this.entries.get(path);
    if (entry) this.wake(entry);
  }

  /** How many paths are in this situation. */
  count(situation: Situation): number {
    return this.counts.get(situation) ?? 0;
  }

  /** How many branches of a path's fork rest between two attempts. */
  resting(host: string): number {
    return this.entries.get(host)?.resting ?? 0;
  }

  private lookAtAll(): void {
    for (const path of new Set([...this.entries.keys(), ...Object.keys(this.state.cursors)])) this.look(path);
  }

  private look(path: string): void {
    const cursor = held(this.state.cursors, path);
    const entry = this.entries.get(path) ?? (cursor && this.enter(path, cursor));
    if (!entry) return;
    if (!cursor) return this.forget(entry);
    this.situate(entry, situationOf(cursor, this.now));
    const at = dueAt(cursor);
    entry.due = at === null ? null : { at, entry };
    if (entry.due && entry.due.at > this.now)
      (entry.situation === 'asked' ? this.deadlines : this.timers).put(entry.due);
    this.wake(entry);
  }

  private enter(path: string, { host: by }: Cursor): Entry {
    const host = by && this.entries.get(by.cursor);
    const place = this.places++;
    const entry: Entry = {
      ...{ path, place, host, opened: new Set<Entry>(), resting: 0 },
      ...{ situation: 'new', due: null, isAwake: false },
    };
    this.entries.set(path, entry);
    host?.opened.add(entry);
    return entry;
  }

  private forget(entry: Entry): void {
    this.situate(entry, 'gone');
    this.entries.delete(entry.path);
    entry.host?.opened.delete(entry);
    entry.due = null;
    entry.isAwake = false;
  }

  private situate(entry: Entry, situation: Entry['situation']): void {
    const { host, opened } = entry;
    this.tally(entry, -1);
    entry.situation = situation;
    this.tally(entry, 1);
    if (host) this.wake(host);
    // What a stage opened is gone with it.
    if (situation !== 'forked' && situation !== 'supervising') for (const each of opened) this.forget(each);
  }

  private tally({ host, situation }: Entry, more: 1 | -1): void {
    this.counts.set(situation, (this.counts.get(situation) ?? 0) + more);
    if (host && situation === 'backing_off') host.resting += more;
  }

  private wake(entry: Entry): void {
    if (entry.isAwake) return;
    entry.isAwake = true;
    const hasItsTurn = entry.place > this.moving && entry.place < this.horizon;
    if (hasItsTurn) this.awake.put(entry);
    else this.later.push(entry);
  }
}

function isSooner(a: Due, b: Due): boolean {
  return a.at < b.at;
}

/** What is due next; what holds no longer is dropped. */
function soonest(clock: Heap<Due>): Due | undefined {
  while (clock.least && clock.least.entry.due !== clock.least) clock.take();
  return clock.least;
}
