import { expect, test } from '@jest/globals';
import type { ReconciliationFilter, Reconciliations } from '../../model/reconciliation.ts';
import type { ApiRequest } from '../api-request.ts';
import { refusedRequestPage } from '../create-listener.ts';
import { pageSize } from './parameters.ts';
import { reconciliationRoutes } from './reconciliation-routes.ts';

test.each([
  [undefined, 1000],
  ['', 1000],
  ['many', 1000],
  ['0', 1000],
  ['-5', 1000],
  ['1', 1],
  ['10000', 10_000],
  ['10001', 10_000],
  ['9999999999', 10_000],
  ['99999999999', 1000],
])('a list of reconciliations with last=%s has at most %d', async (last, limit) => {
  const filters: ReconciliationFilter[] = [];
  const reconciliations: Partial<Reconciliations> = {
    list: async (filter) => {
      filters.push(filter);
      return [];
    },
  };
  const [list] = reconciliationRoutes({
    reconciliations: reconciliations as Reconciliations,
    allowsDebug: false,
  });
  const request: Partial<ApiRequest> = {
    parameter: (name) => (name === 'last' ? last || undefined : undefined),
    parameters: () => [],
  };
  expect(await list?.handle(request as ApiRequest)).toEqual({ body: [] });
  expect(filters).toEqual([{ limit }]);
});

test.each([
  [undefined, 500],
  ['1', 1],
  ['1000', 1000],
  ['0', 'want a whole number from 1 to 1000'],
  ['1001', 'want a whole number from 1 to 1000'],
  ['-1', 'want a whole number from 1 to 1000'],
  ['1e2', 'want a whole number from 1 to 1000'],
])('a page with limit=%s has %s', (limit, expected) => {
  const request: Partial<ApiRequest> = { parameter: () => limit };
  const size = () => pageSize(request as ApiRequest);
  if (typeof expected === 'number') expect(size()).toBe(expected);
  else expect(size).toThrow(expected);
});

test.each([
  // A component reconciler repeats its report after 500 alone.
  ['/v1/operations/s/callback/c', 413, 500],
  ['/v1/clusters', 413, 400],
  ['/v1/clusters', 503, 503],
])('a request for %s whose body is refused with %d is answered with %d', (path, status, shown) => {
  expect(refusedRequestPage(path, status).status).toBe(shown);
});
