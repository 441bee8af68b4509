import { Text } from '../../../edge/schema/decorators.js';
import {
  QueryChoice,
  QueryChoices,
  QueryFlag,
  QueryHint,
  QueryInteger,
  QueryText,
} from '../../../edge/schema/query.js';
import { ShapeRule } from '../../../edge/schema/rule.js';
import { runIdProblem } from '../../manifests/manifest-rules.js';

export class PageQuery {
  @QueryInteger({ min: 1, max: 100, default: 20 }) limit = 20;
  @QueryInteger({ min: 0, max: 1_000_000, default: 0 }) offset = 0;
}

export const RUN_BUCKETS = [
  'pending',
  'runnable',
  'initializing',
  'running',
  'blocked',
  'succeeded',
  'failed',
  'archived',
  'removing',
] as const;
/** A column of the board; several statuses share one. */
export type RunBucket = (typeof RUN_BUCKETS)[number];

const RUN_SORT_KEYS = [
  'created_at',
  'updated_at',
  'status',
  'elapsed',
  'repo',
  'title',
  'workflow',
  'changes',
  'size',
] as const;
export type RunSortKey = (typeof RUN_SORT_KEYS)[number];

const DIRECTIONS = ['asc', 'desc'] as const;
export type SortDirection = (typeof DIRECTIONS)[number];

/** Every row before an offset is read; behind a cursor, none is. */
const DEEPEST_OFFSET = 10_000;

@ShapeRule<ListRunsQuery>(['offset'], 'offset', ({ offset }) =>
  offset > DEEPEST_OFFSET
    ? `must be at most ${DEEPEST_OFFSET}, not ${offset}; read on with "cursor", the "next_cursor" of the page before`
    : undefined,
)
@ShapeRule<ListRunsQuery>(['offset', 'cursor'], 'offset', ({ offset, cursor }) =>
  cursor !== undefined && offset > 0 ? 'does not go with "cursor"; send one of them' : undefined,
)
export class ListRunsQuery extends PageQuery {
  @QueryFlag({ default: false, doc: 'Archived runs too, where no status is asked for.' }) include_archived = false;
  @QueryText({ check: runIdProblem, doc: 'Only runs that have this parent.' }) parent_id?: string;
  @QueryChoices(RUN_BUCKETS, {
    name: 'BoardColumn',
    doc: 'Only runs in these columns; without it, in all but archived and removing. An archived run is in its own column only.',
  })
  status?: RunBucket[];
  @QueryText({
    min: 1,
    max: 500,
    doc: 'The "next_cursor" of the page before, with the same parameters. Costs the same on every page.',
  })
  cursor?: string;
  @QueryChoice(RUN_SORT_KEYS, {
    default: 'created_at',
    doc: 'By created_at, status and changes all runs are listed; in any other order the newest 5,000 of those that are asked for.',
  })
  sort: RunSortKey = 'created_at';
  @QueryChoice(DIRECTIONS, { default: 'desc' }) direction: SortDirection = 'desc';
}

export const SELECTOR_MATCHES = ['newest', 'unique', 'exact'] as const;
/** How exactly a selector has to name its run. */
export type SelectorMatch = (typeof SELECTOR_MATCHES)[number];

export class ResolveRunQuery {
  @Text({
    min: 1,
    max: 200,
    trim: true,
    doc: 'The beginning of a run id, or a workflow: its slug or a part of its name, which stands for its newest run.',
  })
  selector!: string;
  @QueryChoice(SELECTOR_MATCHES, {
    default: 'newest',
    doc: 'Which workflows a selector may mean: the one with the newest run of all whose name holds it; "unique": the one whose slug or name it is, else the only one whose name holds it; "exact": the one whose slug or name it is. For the last two the beginning of an id has at least 4 characters.',
  })
  match: SelectorMatch = 'newest';
}

@ShapeRule<ListEventsQuery>(['order', 'before_seq'], 'before_seq', ({ order, before_seq }) =>
  order === 'asc' && before_seq !== undefined ? 'goes with order=desc only; use since_seq to read forwards' : undefined,
)
@ShapeRule<ListEventsQuery>(['order', 'since_seq'], 'since_seq', ({ order, since_seq }) =>
  order === 'desc' && since_seq !== undefined
    ? 'goes with order=asc only; use before_seq to read backwards'
    : undefined,
)
export class ListEventsQuery {
  @QueryInteger({ min: 1, doc: 'First event of the page when reading forwards; 1 when absent.' }) since_seq?: number;
  @QueryInteger({ min: 1, max: 1000, default: 100 }) limit = 100;
  @QueryInteger({ min: 1, doc: 'Events before this one, when reading backwards.' }) before_seq?: number;
  @QueryChoice(DIRECTIONS, { default: 'asc' }) order: SortDirection = 'asc';
}

export class DeleteRunQuery {
  @QueryFlag({ default: false, doc: 'Also when the run is active.' }) force = false;
}

const GRAPH_DIRECTIONS = ['LR', 'TB', 'BT', 'RL'] as const;
export type GraphDirection = (typeof GRAPH_DIRECTIONS)[number];

export class GraphQuery {
  @QueryHint(GRAPH_DIRECTIONS) direction?: GraphDirection;
}
