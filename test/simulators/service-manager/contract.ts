import { type Contract, loadContract } from '../base/contract.ts';

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

const document = new URL('../../../internal/systems/btp/service-manager/openapi.yaml', import.meta.url);

/** Loaded once, not for each simulator: that takes longer than all else of its start. */
export const contract: Contract<Route> = await loadContract<Route>(
  document,
  Object.fromEntries(routes.map((route) => [route, route])),
);
