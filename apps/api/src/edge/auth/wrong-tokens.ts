import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type Clock } from '#libs/kernel';

const A_MINUTE_MS = 60_000;
/** How many addresses are remembered. The address that has sent nothing for the longest time is forgotten first. */
const MAX_SOURCES = 10_000;

/**
 * Counts the wrong tokens that each source sends within a minute. A token counts from the moment it is looked for, so that
 * many at once are counted, too; one that turns out right is taken off again.
 */
export class WrongTokens {
  private readonly minutes = new LRUCache<string, { count: number; readonly sinceMs: number }>({ max: MAX_SOURCES });

  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
  ) {}

  /** Counts one, and tells whether the source has had as many as it may before. */
  add(source: string): boolean {
    const minute = this.minuteOf(source);
    minute.count++;
    return minute.count > this.perMinute;
  }

  /** The last one was right. */
  takeOff(source: string): void {
    const minute = this.minuteOf(source);
    minute.count = Math.max(0, minute.count - 1);
  }

  private minuteOf(source: string): { count: number } {
    const sinceMs = this.clock.now();
    const known = this.minutes.get(source);
    if (known && sinceMs - known.sinceMs < A_MINUTE_MS) return known;
    const minute = { count: 0, sinceMs };
    this.minutes.set(source, minute);
    return minute;
  }
}

/** What wrong tokens are counted by: the host, with IPv6 its network, or the server's socket file. */
export function sourceOf(address: string | undefined): string {
  if (address === undefined || address === '') return 'socket';
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? networkOf(address);
}

/** The first 64 bits: a host chooses the others as it likes. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%', 1)[0]!.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back].slice(0, 4).join(':');
}
