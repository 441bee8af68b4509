/** The most that the server gives at once. */
const PAGE = 100;

interface Page<T> {
  data: T[];
  meta: { has_more: boolean; next_cursor?: string };
}

type Behind = { offset: number } | { cursor: string };

/** Everything of a list, read page by page: behind the cursor where the list gives one. */
export async function allPages<T>(read: (page: { limit: number } & Behind) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let behind: Behind = { offset: 0 }; ;) {
    const { data, meta } = await read({ limit: PAGE, ...behind });
    all.push(...data);
    if (meta.next_cursor !== undefined) behind = { cursor: meta.next_cursor };
    else if (meta.has_more && data.length > 0) behind = { offset: all.length };
    else return all;
  }
}
