import { rawElements, rawMember } from '../../../../framework/base/json/json-text.ts';
import { readBinding, type ServiceBinding } from '../objects.ts';
import type { components } from '../openapi.gen.ts';
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

export type BindingsApi = Pick<
  ServiceManagerClient,
  | 'createBinding'
  | 'getBinding'
  | 'findBindings'
  | 'isBindingListed'
  | 'eachBinding'
  | 'renameBinding'
  | 'deleteBinding'
>;

const collection = '/v1/service_bindings';
const item = '/v1/service_bindings/{id}';

export function createBindingsApi(calls: ApiCalls): BindingsApi {
  const { scrub } = calls;
  const bindingOf = (answer: Answer) =>
    readBinding(bodyOf(answer), rawMember(answer.text, 'credentials'), scrub);
  const page = (
    doing: string,
    query: ListQuery,
    itemsOf: (answer: Answer) => readonly ServiceBinding[],
    options: CallOptions,
  ) =>
    calls.read(
      {
        doing,
        route: `GET ${collection}`,
        request: (client, request) => client.GET(collection, { ...request, params: { query } }),
        statuses: [200],
        parse: (answer) => pageOf(answer, () => itemsOf(answer)),
      },
      options,
    );
  /** Without credentials. */
  const shown = (answer: Answer) =>
    bodyOf(answer)
      .objects('items')
      .map((reader) => readBinding(reader, undefined, scrub));
  return {
    createBinding: ({ name, serviceInstanceID, parameters, identity }, options) => {
      const body = {
        name,
        service_instance_id: serviceInstanceID,
        ...(parameters === undefined ? {} : { parameters }),
        labels: operatorLabels(identity),
      };
      return calls.create(
        {
          doing: `create service binding ${name}`,
          route: `POST ${collection}`,
          request: (client, request) => client.POST(collection, { ...request, body }),
          statuses: [201, 202],
          parse: (answer) =>
            answer.status === 202
              ? acceptedOperation(answer, 'service_bindings', scrub)
              : ({ state: 'done', resource: bindingOf(answer) } as const),
        },
        options,
      );
    },

    getBinding: async (id, options) => {
      const doing = `get service binding ${id}`;
      assertID(id, doing);
      const binding = calls.read(
        {
          doing,
          route: `GET ${item}`,
          request: (client, request) => client.GET(item, { ...request, params: { path: { id } } }),
          statuses: [200],
          parse: bindingOf,
        },
        options,
      );
      return notFoundAs(undefined, binding);
    },

    findBindings: (query, options) => {
      const doing = `list service bindings named ${query.name}`;
      return allPages(doing, (token) =>
        page(doing, recoveryQuery(query, token), (answer) => bindingsOf(answer, scrub), options),
      );
    },

    isBindingListed: async (id, options) => {
      const doing = `list service binding ${id}`;
      assertID(id, doing);
      const found = await allPages(doing, (token) => page(doing, idQuery(id, token), shown, options));
      return found.some((binding) => binding.id === id);
    },

    eachBinding: (clusterID, onPage, options) => {
      const doing = 'list the service bindings of this cluster';
      return eachPage(
        doing,
        (token) => page(doing, clusterQuery(clusterID, token), shown, options),
        onPage,
        FOR_CLUSTER,
      );
    },

    renameBinding: async (id, { name, kubernetesName }, options) => {
      const doing = `rename service binding ${id}`;
      assertID(id, doing);
      const patch = (body: BindingPatch) =>
        calls.write(
          {
            doing,
            route: `PATCH ${item}`,
            request: (client, request) => client.PATCH(item, { ...request, params: { path: { id } }, body }),
            statuses: [200],
            parse: bindingOf,
          },
          // The Go operator sends no user with a rename.
          { ...options, userInfo: undefined },
        );
      await patch({ name, labels: [{ op: 'remove', key: '_k8sname', values: null }] });
      return patch({ labels: [{ op: 'add', key: '_k8sname', values: [kubernetesName] }] });
    },

    deleteBinding: async (id, options) => {
      const doing = `delete service binding ${id}`;
      assertID(id, doing);
      const deletion = calls.write(
        {
          doing,
          route: `DELETE ${item}`,
          request: (client, request) => client.DELETE(item, { ...request, params: { path: { id } } }),
          statuses: [200, 202],
          parse: (answer) => deletionOf(answer, 'service_bindings', scrub),
        },
        options,
      );
      return notFoundAs({ state: 'absent' } as const, deletion, ['not-found', 'gone']);
    },
  };
}

type BindingPatch = components['schemas']['ServiceBindingUpdate'];

function bindingsOf(answer: Answer, scrub: (text: string) => string) {
  const readers = bodyOf(answer).objects('items');
  const texts = rawElements(rawMember(answer.text, 'items') ?? '[]');
  return readers.map((reader, index) =>
    readBinding(reader, rawMember(texts[index] ?? '{}', 'credentials'), scrub),
  );
}
