import { type Contract, loadContract as load } from '../base/contract.ts';

/** The names of the API's calls in faults, records and assertions: the operations of its OpenAPI document. */
export const routes = [
  'listOfferings',
  'listPlans',
  'listInstances',
  'createInstance',
  'getInstance',
  'updateInstance',
  'deleteInstance',
  'getInstanceOperation',
  'listBindings',
  'createBinding',
  'getBinding',
  'updateBinding',
  'deleteBinding',
  'getBindingOperation',
  'deleteCluster',
  'grantToken',
] as const;

export type Route = (typeof routes)[number];

const document = new URL('../../../internal/clients/service-manager/openapi.yaml', import.meta.url);

export const loadContract = (): Promise<Contract<Route>> =>
  load<Route>(document, Object.fromEntries(routes.map((route) => [route, route])));
