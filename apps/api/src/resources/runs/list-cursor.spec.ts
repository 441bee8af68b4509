import { describe, expect, it } from '@jest/globals';
import type { ListPlace, RunListing } from '#libs/persistence';
import { decodeCursor, encodeCursor } from './list-cursor.js';

const listing: RunListing = {
  columns: ['failed', 'blocked'],
  parentId: null,
  order: 'created_at',
  direction: 'desc',
  limit: 20,
  offset: 0,
};
const behind: ListPlace = { at: 'run', key: '01J0000000000000000000000A', place: 6 };

describe('The cursor of a list', () => {
  it.each<ListPlace>([behind, { at: 'offset', offset: 40 }])('is the place %j', (place) => {
    expect(decodeCursor(listing, encodeCursor(listing, place))).toEqual(place);
  });

  it('stands in a link as it is', () => {
    expect(encodeCursor(listing, behind)).toMatch(/^[\w-]+$/);
  });

  it('belongs to the same columns in any order, and to pages of any length', () => {
    const cursor = encodeCursor(listing, behind);
    expect(decodeCursor({ ...listing, columns: ['blocked', 'failed'], limit: 5 }, cursor)).toEqual(behind);
  });

  it.each<Partial<RunListing>>([
    { columns: ['failed'] },
    { parentId: '01J0000000000000000000000B' },
    { order: 'title' },
    { direction: 'asc' },
  ])('belongs to no list with %j', (other) => {
    expect(decodeCursor({ ...listing, ...other }, encodeCursor(listing, behind))).toBe('other');
  });

  const [own] = JSON.parse(Buffer.from(encodeCursor(listing, behind), 'base64url').toString()) as [string];
  it.each([
    'garbage',
    '',
    '%00',
    ...[
      {},
      [own],
      [own, 7],
      [own, "' OR 1", 0],
      [own, 'A', 9],
      [own, 'A', 0.5],
      [own, '-1'],
      [own, '5001'],
      [own, 'x'],
    ].map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
  ])('is not %j', (text) => {
    expect(decodeCursor(listing, text)).toBeNull();
  });
});
