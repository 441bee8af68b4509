import { RunyardError } from '#libs/kernel';
import { type Feed, type Look, NOTHING } from './feed.js';
import { endsEarlier } from './frame.js';
import { type Outlet } from './outlet.js';

export interface FollowStart {
  /** The place of the first event to send. */
  from: number;
  /** The client has had everything before that place. */
  isGoingOn?: boolean;
}

/**
 * Sends what a feed holds from a place on, each event once and in order, until the feed is over or the client is gone.
 * It reads only as fast as the client takes. While the log is out of reach it waits for the feed's next change.
 * `caughtUp` is told when the client first has everything. A client that has had more than there is now (a standby took
 * over without it) is told so in a comment, and gets what comes from the end of the log on.
 */
export async function follow(
  feed: Feed,
  { from, isGoingOn = false }: FollowStart,
  outlet: Outlet,
  caughtUp: () => void = () => undefined,
): Promise<void> {
  let next = from;
  let hadAll = isGoingOn;
  let isNew = true;
  while (!outlet.closed) {
    const mark = feed.now();
    const look = await feed.look(next).catch(nothingWhileAway);
    if (look.kind === 'piece') {
      next = look.piece.next;
      hadAll = true;
      if (look.piece.events > 0) await outlet.send(look.piece);
      continue;
    }
    if (hadAll && look.nextSeq !== undefined && look.nextSeq < next) {
      await outlet.send({ bytes: endsEarlier(look.nextSeq - 1, next - 1), events: 0, next: look.nextSeq });
      next = look.nextSeq;
      if (look.kind === 'nothing') continue;
    }
    if (look.kind === 'over') return;
    if (isNew) caughtUp();
    isNew = false;
    await changeOrClose(feed, mark, outlet);
  }
}

function nothingWhileAway(thrown: unknown): Look {
  if (thrown instanceof RunyardError && thrown.kind === 'unavailable') return NOTHING;
  throw thrown;
}

function changeOrClose(feed: Feed, mark: number, outlet: Outlet): Promise<void> {
  return new Promise((resolve) => {
    outlet.onceClosed(resolve);
    feed.afterChange(mark, resolve);
  });
}
