import type { Page } from './client.ts';

/** The `continue` of the page before, if there was one. */
export interface NextPage {
  readonly continue?: string;
}

export interface PagesOptions {
  /** A hostile server could have pages without end. Default: all are read. */
  readonly max?: number;
  /** Called when there are more; then the pages end. Default: what follows is not read. */
  readonly onMore?: () => void;
}

/** The pages of a collection, one request after the other. */
export async function* pagesOf<T>(
  list: (next: NextPage) => Promise<Page<T>>,
  { max = Number.POSITIVE_INFINITY, onMore }: PagesOptions = {},
): AsyncGenerator<readonly T[], void, undefined> {
  let next: NextPage = {};
  for (let page = 0; page < max; page++) {
    const { items, continue: more } = await list(next);
    yield items;
    if (more === undefined || more === '') return;
    next = { continue: more };
  }
  onMore?.();
}
