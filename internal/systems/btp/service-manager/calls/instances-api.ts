import { readInstance } from '../objects.ts';
import { clusterQuery, idQuery, type ListQuery, operatorLabels, recoveryQuery } from '../query.ts';
import type { CallOptions, ServiceManagerClient } from '../service-manager-client.ts';
import {
  type Answer,
  type ApiCalls,
  acceptedOperation,
  assertID,
  bodyOf,
  deletionOf,
  notFoundAs,
} from './api-calls.ts';
import { allPages, eachPage, FOR_CLUSTER, pageOf } from './pages.ts';

export type InstancesApi = Pick<
  ServiceManagerClient,
  | 'createInstance'
  | 'getInstance'
  | 'findInstances'
  | 'isInstanceListed'
  | 'eachInstance'
  | 'updateInstance'
  | 'shareInstance'
  | 'deleteInstance'
>;

const collection = '/v1/service_instances';
const item = '/v1/service_instances/{id}';
/** Sent with each create and update, as the Go operator does. */
const notReady = { ready: false, usable: false } as const;

export function createInstancesApi(calls: ApiCalls): InstancesApi {
  const instanceOf = (answer: Answer) => readInstance(bodyOf(answer), calls.scrub);
  const changeOf = (answer: Answer) =>
    answer.status === 202
      ? acceptedOperation(answer, 'service_instances', calls.scrub)
      : ({ state: 'done', resource: instanceOf(answer) } as const);
  const page = (doing: string, query: ListQuery, options: CallOptions) =>
    calls.read(
      {
        doing,
        route: `GET ${collection}`,
        request: (client, request) => client.GET(collection, { ...request, params: { query } }),
        statuses: [200],
        parse: (answer) =>
          pageOf(answer, () =>
            bodyOf(answer)
              .objects('items')
              .map((reader) => readInstance(reader, calls.scrub)),
          ),
      },
      options,
    );
  return {
    createInstance: async ({ name, servicePlanID, parameters, identity }, options) => {
      const labels = operatorLabels(identity);
      const body = {
        name,
        service_plan_id: servicePlanID,
        ...(parameters === undefined ? {} : { parameters }),
        labels,
        ...notReady,
      };
      return calls.create(
        {
          doing: `create service instance ${name}`,
          route: `POST ${collection}`,
          request: (client, request) => client.POST(collection, { ...request, body }),
          statuses: [201, 202],
          parse: changeOf,
        },
        options,
      );
    },

    getInstance: async (id, options) => {
      const doing = `get service instance ${id}`;
      assertID(id, doing);
      const call = {
        doing,
        route: `GET ${item}`,
        request: (client, request) => client.GET(item, { ...request, params: { path: { id } } }),
        statuses: [200],
        parse: instanceOf,
      } satisfies Parameters<typeof calls.read>[0];
      return notFoundAs(undefined, calls.read(call, options));
    },

    findInstances: (query, options) => {
      const doing = `list service instances named ${query.name}`;
      return allPages(doing, (token) => page(doing, recoveryQuery(query, token), options));
    },

    isInstanceListed: async (id, options) => {
      const doing = `list service instance ${id}`;
      assertID(id, doing);
      const found = await allPages(doing, (token) => page(doing, idQuery(id, token), options));
      return found.some((instance) => instance.id === id);
    },

    eachInstance: (clusterID, onPage, options) => {
      const doing = 'list the service instances of this cluster';
      return eachPage(
        doing,
        (token) => page(doing, clusterQuery(clusterID, token), options),
        onPage,
        FOR_CLUSTER,
      );
    },

    updateInstance: async (id, { name, servicePlanID, parameters }, options) => {
      const doing = `update service instance ${id}`;
      assertID(id, doing);
      const body = {
        name,
        service_plan_id: servicePlanID,
        ...(parameters === undefined ? {} : { parameters }),
        ...notReady,
      };
      return calls.write(
        {
          doing,
          route: `PATCH ${item}`,
          request: (client, request) => client.PATCH(item, { ...request, params: { path: { id } }, body }),
          statuses: [200, 202],
          parse: changeOf,
        },
        options,
      );
    },

    shareInstance: async (id, shared, options) => {
      const doing = `${shared ? 'share' : 'unshare'} service instance ${id}`;
      assertID(id, doing);
      await calls.write(
        {
          doing,
          route: `PATCH ${item}`,
          request: (client, request) =>
            client.PATCH(item, { ...request, params: { path: { id } }, body: { shared } }),
          statuses: [200],
          parse: () => undefined,
        },
        options,
      );
    },

    deleteInstance: async (id, options) => {
      const doing = `delete service instance ${id}`;
      assertID(id, doing);
      const deletion = calls.write(
        {
          doing,
          route: `DELETE ${item}`,
          request: (client, request) => client.DELETE(item, { ...request, params: { path: { id } } }),
          statuses: [200, 202],
          parse: (answer) => deletionOf(answer, 'service_instances', calls.scrub),
        },
        options,
      );
      return notFoundAs({ state: 'absent' }, deletion, ['not-found', 'gone']);
    },
  };
}
