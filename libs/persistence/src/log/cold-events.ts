import type { LogRow } from './read-log.js';

/** A row of the log with everything that is in the row: what is not in the envelope would be lost otherwise. */
export interface ColdEvent extends LogRow {
  epoch: number | null;
  storedAt: string;
}

/** What stands in front of the body, which is kept byte for byte. */
const HEAD = /^\{"seq":(\d+),"epoch":(null|\d+),"stored_at":"([^"]*)","body":/;

/** An event as one line of JSON, without the end of the line. */
export function coldLineOf({ seq, epoch, storedAt, body }: ColdEvent): string {
  return `{"seq":${seq},"epoch":${epoch},"stored_at":"${storedAt}","body":${body}}`;
}

/** The events of lines that {@link coldLineOf} made. */
export function eventsOf(lines: string): ColdEvent[] {
  return lines.trimEnd().split('\n').map(eventOf);
}

function eventOf(line: string): ColdEvent {
  const head = HEAD.exec(line);
  if (!head) throw new SyntaxError('A line of a stored log is no event.');
  const [{ length }, seq, epoch, storedAt] = head as unknown as [string, string, string, string];
  return {
    seq: Number(seq),
    epoch: epoch === 'null' ? null : Number(epoch),
    storedAt,
    body: line.slice(length, -1),
  };
}
