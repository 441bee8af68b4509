import { RunyardError } from '#libs/kernel';
import { type Feed, type Look, NOTHING } from './feed.js';
import { type Outlet } from './outlet.js';

/**
 * Sends what a feed holds from a place on, each event once and in order, until the feed is over or the client is gone.
 * It reads only as fast as the client takes. While the log is out of reach it waits for the feed's next change.
 * `caughtUp` is told when the client first has everything.
 */
export async function follow(
  feed: Feed,
  from: number,
  outlet: Outlet,
  caughtUp: () => void = () => undefined,
): Promise<void> {
  let next = from;
  let isNew = true;
  while (!outlet.closed) {
    const mark = feed.now();
    const look = await feed.look(next).catch(nothingWhileAway);
    if (look.kind === 'over') return;
    if (look.kind === 'piece') {
      next = look.piece.next;
      if (look.piece.events > 0) await outlet.send(look.piece);
      continue;
    }
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
