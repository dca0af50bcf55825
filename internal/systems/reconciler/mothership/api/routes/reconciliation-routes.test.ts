import { expect, test } from '@jest/globals';
import type { ReconciliationFilter, Reconciliations } from '../../model/reconciliation.ts';
import type { ApiRequest } from '../api-request.ts';
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
