import { type Filter } from './filter.js';
import { listFilters } from './list-filters.js';
import { markupFilters } from './markup-filters.js';
import { numberFilters } from './number-filters.js';
import { selectFilters } from './select-filters.js';
import { textFilters } from './text-filters.js';

/**
 * The filters of Jinja that make sense for texts, numbers and lists. `default` is not among them: it alone takes what is
 * undefined.
 */
export const filters: ReadonlyMap<string, Filter> = new Map(
  Object.entries<Filter>({ ...textFilters, ...markupFilters, ...listFilters, ...selectFilters, ...numberFilters }),
);
