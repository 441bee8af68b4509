import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import { boardColumnsOf, isMeant, type Run, type RunFilter } from './run-filter.js';

type Meta = components['schemas']['RunListMeta'];

/** The most that the server gives at once. */
const PAGE = 100;

export interface Listing {
  filter: RunFilter;
  limit: number;
  parentId?: string | undefined;
  includeArchived?: boolean;
  /** Where a page before ended. */
  after?: string | undefined;
}

export interface RunList {
  data: Run[];
  meta: Meta;
}

/**
 * The newest runs that are meant, page by page until there are enough. The server knows of columns and parents; what else
 * is asked is looked for here, so that rare runs take many requests. `next_cursor` is there where the list goes on exactly
 * behind the last run.
 */
export async function listRuns(client: RunyardClient, listing: Listing): Promise<RunList> {
  const { filter, limit } = listing;
  const isSifted = sifts(filter);
  const data: Run[] = [];
  for (let after = listing.after; ;) {
    const page = await pageOf(client, listing, isSifted ? PAGE : Math.min(PAGE, limit - data.length), after);
    for (const run of page.data) {
      if (isBefore(run, filter.createdSinceMs)) return { data, meta: { has_more: false } };
      if (!isMeant(run, filter)) continue;
      if (data.length === limit) return { data, meta: { has_more: true } };
      data.push(run);
    }
    after = page.meta.next_cursor;
    if (after === undefined || (data.length >= limit && !isSifted)) return { data, meta: metaOf(page.meta, isSifted) };
  }
}

async function pageOf(
  client: RunyardClient,
  { filter, parentId, includeArchived = false }: Listing,
  limit: number,
  after: string | undefined,
): Promise<{ data: Run[]; meta: Meta }> {
  const status = boardColumnsOf(filter);
  const query = {
    limit,
    include_archived: includeArchived,
    ...(status && { status }),
    ...(parentId !== undefined && { parent_id: parentId }),
    ...(after !== undefined && { cursor: after }),
  };
  return unwrap(client.api.GET('/api/v1/runs', { params: { query } }));
}

/** Whether a page may hold runs that are not meant. */
function sifts(filter: RunFilter): boolean {
  const { label, workflow, createdSinceMs, endedBeforeMs, status = [] } = filter;
  const isOneEnd = status.includes('cancelled') !== status.includes('failed');
  return (
    [label, workflow, createdSinceMs, endedBeforeMs].some((known) => known !== undefined) ||
    isOneEnd ||
    (boardColumnsOf(filter) ?? []).includes('archived')
  );
}

function isBefore({ timestamps }: Run, momentMs: number | undefined): boolean {
  return momentMs !== undefined && Date.parse(timestamps.created_at) < momentMs;
}

/** What the server counted says nothing about runs that were sifted. */
function metaOf(meta: Meta, isSifted: boolean): Meta {
  return isSifted ? { has_more: false } : meta;
}
