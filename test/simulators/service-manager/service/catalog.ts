import type { Answer } from '../../base/answer.ts';
import type { Catalog } from '../state/catalog.ts';
import { listed } from './lists.ts';

export const listOfferings = ({ offerings }: Catalog, query: URLSearchParams, pageSize: number): Answer =>
  listed({
    query,
    items: offerings,
    fields: ['id', 'catalog_name', 'data_center'],
    pageSize,
    shown: (offering) => ({ data_center: '', tags: [], ...offering }),
  });

export const listPlans = ({ plans }: Catalog, query: URLSearchParams, pageSize: number): Answer =>
  listed({
    query,
    items: plans,
    fields: ['id', 'catalog_name', 'service_offering_id'],
    pageSize,
    shown: ({ id, catalog_name, service_offering_id }) => ({ id, catalog_name, service_offering_id }),
  });
