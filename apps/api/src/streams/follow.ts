import { type Outlet } from './outlet.js';
import { type RunFeed } from './run-feed.js';

/**
 * Sends a run's events from one on, each once and in order, until the run is over or the client is gone. It reads only
 * as fast as the client takes.
 */
export async function follow(feed: RunFeed, from: number, outlet: Outlet): Promise<void> {
  let next = from;
  while (!outlet.closed) {
    const mark = feed.now();
    const { frames, ended } = await feed.look(next);
    if (ended) return;
    if (frames.length === 0) await changeOrClose(feed, mark, outlet);
    else if (await outlet.send(frames)) next += frames.length;
  }
}

function changeOrClose(feed: RunFeed, mark: number, outlet: Outlet): Promise<void> {
  return new Promise((resolve) => {
    outlet.onceClosed(resolve);
    feed.afterChange(mark, resolve);
  });
}
