import { type Contract, loadContract as load } from '../base/contract.ts';

/** The names of the API's calls in faults, records and assertions. */
export type Route = 'list' | 'create' | 'delete' | 'token';

const operations: Readonly<Record<string, Route>> = {
  listInstanceMappings: 'list',
  createInstanceMapping: 'create',
  deleteInstanceMapping: 'delete',
  grantToken: 'token',
};

const document = new URL('../../../internal/clients/hana-cloud/openapi.yaml', import.meta.url);

export const routes = Object.values(operations);

export const loadContract = (): Promise<Contract<Route>> => load(document, operations);
