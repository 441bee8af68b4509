/** The most that the server gives at once. */
const PAGE = 100;

interface Page<T> {
  data: T[];
  meta: { has_more: boolean };
}

/** Everything of a list, read page by page. */
export async function allPages<T>(read: (page: { limit: number; offset: number }) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const { data, meta } = await read({ limit: PAGE, offset: all.length });
    all.push(...data);
    if (!meta.has_more || data.length === 0) return all;
  }
}
