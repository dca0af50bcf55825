import { type ApiCalls, bodyOf } from '../calls/api-calls.ts';
import { allPages, pageOf } from '../calls/pages.ts';
import { readOffering, readPlan, type ServiceOffering, type ServicePlan } from '../objects.ts';
import type { CallOptions } from '../service-manager-client.ts';

/** Lists of the catalog. */
export interface CatalogApi {
  listOfferings(fieldQuery: string, options: CallOptions): Promise<ServiceOffering[]>;
  listPlans(fieldQuery: string, options: CallOptions): Promise<ServicePlan[]>;
}

const offerings = '/v1/service_offerings';
const plans = '/v1/service_plans';

export function createCatalogApi(calls: ApiCalls): CatalogApi {
  const list = <T>(
    path: typeof offerings | typeof plans,
    doing: string,
    fieldQuery: string,
    read: (reader: ReturnType<typeof bodyOf>) => T,
    options: CallOptions,
  ) =>
    allPages(doing, (token) =>
      calls.read(
        {
          doing,
          route: `GET ${path}`,
          request: (client, request) => {
            const query = { fieldQuery, ...(token === undefined ? {} : { token }) };
            return client.GET(path, { ...request, params: { query } });
          },
          statuses: [200],
          parse: (answer) => pageOf(answer, () => bodyOf(answer).objects('items').map(read)),
        },
        options,
      ),
    );
  return {
    listOfferings: (fieldQuery, options) =>
      list(offerings, 'list service offerings', fieldQuery, readOffering, options),
    listPlans: (fieldQuery, options) => list(plans, 'list service plans', fieldQuery, readPlan, options),
  };
}
