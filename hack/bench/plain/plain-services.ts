/**
 * The requests for one ServiceInstance or ServiceBinding, in sequence: the least that survives a crash. The finalizer is stored
 * before anything is created, the resource is looked up in Service Manager, created, and the result is stored.
 */
import type { ServiceBinding } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { ServiceInstance } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import {
  all,
  equal,
  oneOf,
  operatorLabels,
  recoveryQuery,
  serializeQuery,
} from '../../../internal/systems/btp/service-manager/query.ts';
import { createPlainClient, type Endpoint, type PlainClient, type PlainRequest } from './plain-client.ts';
import { eventOf } from './plain-objects.ts';
import {
  boundSecret,
  type PlainService,
  readyService,
  withFinalizer,
  withoutFinalizer,
} from './plain-service-objects.ts';

export interface ServiceEndpoints {
  readonly management: Endpoint;
  readonly serviceManager: Endpoint;
  /** An OAuth client of Service Manager. */
  readonly client: { readonly id: string; readonly secret: string };
}

export interface PlainServices {
  readonly management: PlainClient;
  createInstance(instance: ServiceInstance): Promise<void>;
  /** @param instanceID of its instance in Service Manager */
  createBinding(binding: ServiceBinding, instanceID: string): Promise<void>;
  deleteInstance(instance: ServiceInstance): Promise<void>;
  deleteBinding(binding: ServiceBinding): Promise<void>;
}

/** The provider's own bounds. */
const MANAGEMENT_CONNECTIONS = 32;
const SERVICE_MANAGER_CONNECTIONS = 24;

const apiOf = ({ metadata: { namespace } }: PlainService) =>
  `/apis/services.cloud.sap.com/v1/namespaces/${namespace}`;
const pathOf = (object: PlainService) =>
  `${apiOf(object)}/${object.kind.toLowerCase()}s/${object.metadata.name}`;

export function createPlainServices(endpoints: ServiceEndpoints): PlainServices {
  const management = createPlainClient(endpoints.management, MANAGEMENT_CONNECTIONS);
  const serviceManager = createPlainClient(endpoints.serviceManager, SERVICE_MANAGER_CONNECTIONS);
  let token: Promise<string> | undefined;
  const plans = new Map<string, Promise<string>>();

  const grant = async (): Promise<string> => {
    const { id, secret } = endpoints.client;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    });
    const { access_token } = await serviceManager.send<{ access_token: string }>({
      method: 'POST',
      path: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    return access_token;
  };
  const call = async <T>(request: PlainRequest): Promise<T> => {
    token ??= grant();
    return serviceManager.send<T>({ ...request, headers: { authorization: `Bearer ${await token}` } });
  };
  const firstOf = async (collection: string, query: Readonly<Record<string, unknown>>): Promise<string> => {
    const path = `/v1/${collection}?${serializeQuery(query)}`;
    const { items = [] } = await call<{ items?: { id: string }[] }>({ path });
    return items[0]?.id ?? '';
  };
  const findPlan = async (offering: string, plan: string) => {
    const id = await firstOf('service_offerings', { fieldQuery: equal('catalog_name', offering) });
    const ofOffering = oneOf('service_offering_id', [id]);
    return firstOf('service_plans', { fieldQuery: all(equal('catalog_name', plan), ofOffering) });
  };
  /** Asked for once. */
  const planOf = ({ spec }: ServiceInstance): Promise<string> => {
    const { serviceOfferingName: offering, servicePlanName: plan } = spec;
    const known = plans.get(`${offering}/${plan}`) ?? findPlan(offering, plan);
    plans.set(`${offering}/${plan}`, known);
    return known;
  };
  const put = <T extends PlainService>(object: T, subresource = '') =>
    management.send<T>({ method: 'PUT', path: `${pathOf(object)}${subresource}`, body: object });
  const record = (object: PlainService, reason: string) =>
    management.send({
      method: 'POST',
      path: `/api/v1/namespaces/${object.metadata.namespace}/events`,
      body: eventOf(object, reason),
    });
  const identityOf = ({ metadata: { name, namespace } }: PlainService) => ({
    clusterID: 'bench',
    namespace,
    name,
  });
  /** Rejects if it exists: the environment is new. */
  const lookUp = async (collection: string, object: PlainService) => {
    const { name } = object.metadata;
    const query = recoveryQuery({ name, identity: identityOf(object) }, undefined);
    if ((await firstOf(collection, query)) !== '') throw new Error(`${name} exists`);
  };
  const remove = (collection: string, id = '') => call({ method: 'DELETE', path: `/v1/${collection}/${id}` });
  const release = async (object: PlainService) => {
    await put(withoutFinalizer(object));
    await record(object, 'Deleted');
  };

  return {
    management,
    createInstance: async (instance) => {
      const kept = await put(withFinalizer(instance));
      const { name } = kept.metadata;
      await lookUp('service_instances', kept);
      const body = { name, service_plan_id: await planOf(kept), labels: operatorLabels(identityOf(kept)) };
      const { id } = await call<{ id: string }>({ method: 'POST', path: '/v1/service_instances', body });
      await put(readyService(kept, { instanceID: id, tags: ['test'] }), '/status');
      await record(kept, 'Created');
    },
    createBinding: async (binding, instanceID) => {
      const kept = await put(withFinalizer(binding));
      const { name, namespace } = kept.metadata;
      await lookUp('service_bindings', kept);
      const body = { name, service_instance_id: instanceID, labels: operatorLabels(identityOf(kept)) };
      const { id, credentials } = await call<{ id: string; credentials: Record<string, unknown> }>({
        method: 'POST',
        path: '/v1/service_bindings',
        body,
      });
      await management.send({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/secrets`,
        body: boundSecret(kept, credentials),
      });
      await put(readyService(kept, { bindingID: id, instanceID }), '/status');
      await record(kept, 'SecretCreated');
    },
    deleteInstance: async (instance) => {
      await remove('service_instances', instance.status?.instanceID);
      await release(instance);
    },
    deleteBinding: async (binding) => {
      const { name, namespace } = binding.metadata;
      await remove('service_bindings', binding.status?.bindingID);
      await management.send({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/secrets/${name}` });
      await release(binding);
    },
  };
}
