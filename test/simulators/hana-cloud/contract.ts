import { type Contract, loadContract } from '../base/contract.ts';

/** The names of the API's calls in faults, records and assertions. */
export type Route = 'list' | 'create' | 'delete' | 'token';

const operations: Readonly<Record<string, Route>> = {
  listInstanceMappings: 'list',
  createInstanceMapping: 'create',
  deleteInstanceMapping: 'delete',
  grantToken: 'token',
};

const document = new URL('../../../internal/systems/inventory/hana-cloud/openapi.yaml', import.meta.url);

export const routes = Object.values(operations);

/** Loaded once, not for each simulator: that takes longer than all else of its start. */
export const contract: Contract<Route> = await loadContract(document, operations);
