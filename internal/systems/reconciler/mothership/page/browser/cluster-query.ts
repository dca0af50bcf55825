/** Filters of the list of clusters, by their names in its address and in the API. */
export const FILTERS = {
  search: 'search',
  group: 'group',
  status: 'status',
  version: 'kymaVersion',
  component: 'component',
} as const;

export type Filter = keyof typeof FILTERS;
export const allFilters = Object.keys(FILTERS) as Filter[];

/** Clusters of one request: those that are visible, at most 30 by the height of the list, and so many before and behind them. */
export const WINDOW = 80;

/** The query of the API; empty texts are no conditions. */
export function clusterQuery(textOf: (filter: Filter) => string, offset: number): string {
  const given = allFilters.flatMap((filter) => {
    const value = textOf(filter).trim();
    return value === '' ? [] : [[FILTERS[filter], value] as const];
  });
  const query = new URLSearchParams({
    ...Object.fromEntries(given),
    offset: `${offset}`,
    limit: `${WINDOW}`,
  });
  return query.toString();
}

/** That of the first clusters, with the filters of an address. */
export const firstClusters = (address: URLSearchParams): string =>
  clusterQuery((filter) => address.get(filter) ?? '', 0);
