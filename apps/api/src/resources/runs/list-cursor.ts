import { createHash } from 'node:crypto';
import { SORTED, type ListPlace, type RunListing } from '#libs/persistence';

/** A cursor is text that a client sends back as it is: where a page ended, and which list that was. */
type Encoded = [list: string, place: string, column?: number];

const KEY = /^[0-9A-Z]{1,64}$/;

export function encodeCursor(listing: RunListing, place: ListPlace): string {
  const encoded: Encoded =
    place.at === 'run' ? [listOf(listing), place.key, place.place] : [listOf(listing), String(place.offset)];
  return Buffer.from(JSON.stringify(encoded)).toString('base64url');
}

/** The place in a cursor; null when it is none, and `other` when it is that of another list. */
export function decodeCursor(listing: RunListing, cursor: string): ListPlace | 'other' | null {
  const encoded = parsed(cursor);
  if (!isEncoded(encoded)) return null;
  const [list, place, column] = encoded;
  if (list !== listOf(listing)) return 'other';
  if (column !== undefined) return KEY.test(place) ? { at: 'run', key: place, place: column } : null;
  const offset = Number(place);
  return Number.isInteger(offset) && offset >= 0 && offset <= SORTED ? { at: 'offset', offset } : null;
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
}

function isEncoded(value: unknown): value is Encoded {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3) return false;
  const [list, place, column] = value as unknown[];
  const isColumn =
    column === undefined || (Number.isInteger(column) && (column as number) >= 0 && (column as number) < 9);
  return typeof list === 'string' && typeof place === 'string' && isColumn;
}

/** Tells lists apart by what is in them and in which order. */
function listOf({ columns, parentId, order, direction }: RunListing): string {
  const text = JSON.stringify([[...columns].sort(), parentId, order, direction]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}
