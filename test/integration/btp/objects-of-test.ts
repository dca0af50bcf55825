import { expect } from '@jest/globals';
import {
  type ServiceBinding,
  type ServiceBindingSpec,
  serviceBindings,
} from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { KubeObject, Secret } from '../../../internal/framework/kube/object/object.ts';
import {
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import type { Objects } from '../../environment/objects.ts';
import type { ServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';

type Conditioned = KubeObject & {
  readonly status?: {
    readonly conditions: readonly { type: string; status: string; reason: string; message?: string }[];
  };
};

/** An object of a test, by the name that it has or will have. */
export interface ObjectOfTest<T, S> {
  readonly name: string;
  create(spec?: Partial<S>): Promise<void>;
  find(): Promise<T | undefined>;
  patch(spec: object): Promise<void>;
  delete(): Promise<void>;
  /** `status reason message` of a condition. */
  condition(type: string): Promise<string>;
  until(type: string, pattern: RegExp): Promise<void>;
  untilGone(): Promise<void>;
}

export interface InstanceOfTest extends ObjectOfTest<ServiceInstance, ServiceInstanceSpec> {
  putSecret(name: string, parameters: object): Promise<void>;
  secretMetadata(name: string): Promise<{ labels?: object; annotations?: object; finalizers?: string[] }>;
  /** In Service Manager. */
  external(): ReturnType<ServiceManagerSimulator['store']['instances']>;
  /** Requests so far about the instance in its status. */
  requests(route: 'getInstance' | 'updateInstance' | 'deleteInstance'): Promise<number>;
}

export interface BindingOfTest extends ObjectOfTest<ServiceBinding, ServiceBindingSpec> {
  /** Its Secret; undefined if it does not exist. */
  secret(): Promise<Secret | undefined>;
  /** The decoded entries of its Secret. */
  entries(): Promise<Record<string, string> | undefined>;
  patchSecret(patch: object): Promise<void>;
  deleteSecret(): Promise<void>;
  /** In Service Manager. */
  external(): ReturnType<ServiceManagerSimulator['store']['bindings']>;
  /** The password in Service Manager, in the default credentials. */
  password(): string | undefined;
}

/** Where a binding of a test is. */
export interface BindingPlace {
  /** Default: that of the instance. */
  readonly namespace?: string;
  /** Of its name; default `db`. */
  readonly suffix?: string;
}

export async function instanceOfTest(
  objects: Objects,
  simulator: ServiceManagerSimulator,
  name = uniqueName('orders'),
): Promise<InstanceOfTest> {
  const namespace = name;
  await createNamespace(objects, namespace);
  const object = objectOfTest<ServiceInstance, ServiceInstanceSpec>(
    objects,
    serviceInstances,
    { namespace, name },
    {
      serviceOfferingName: 'sample',
      servicePlanName: 'standard',
    },
  );
  return {
    ...object,
    putSecret: async (secret, parameters) => {
      const data = encoded({ parameters: JSON.stringify(parameters) });
      const metadata = { namespace, name: secret };
      await objects.apply(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
    },
    secretMetadata: async (secret) => (await objects.get(secrets, { namespace, name: secret })).metadata,
    external: () => simulator.store.instances().filter((instance) => instance.name.startsWith(name)),
    requests: async (route) => {
      const instance = (await object.find())?.status?.instanceID;
      return simulator.requests({ route, ...(instance ? { instance } : {}) }).length;
    },
  };
}

export function bindingOfTest(
  objects: Objects,
  simulator: ServiceManagerSimulator,
  instance: InstanceOfTest,
  { namespace = instance.name, suffix = 'db' }: BindingPlace = {},
): BindingOfTest {
  const name = `${instance.name}-${suffix}`;
  const key = { namespace, name: `${name}-secret` };
  const object = objectOfTest<ServiceBinding, ServiceBindingSpec>(
    objects,
    serviceBindings,
    { namespace, name },
    {
      serviceInstanceName: instance.name,
      secretName: key.name,
      ...(namespace === instance.name ? {} : { serviceInstanceNamespace: instance.name }),
    },
  );
  const secret = () => objects.find<Secret>(secrets, key);
  const external = () => simulator.store.bindings().filter((binding) => binding.name === name);
  return {
    ...object,
    secret,
    entries: async () => {
      const data = (await secret())?.data;
      return data && Object.fromEntries(Object.entries(data).map(([entry, value]) => [entry, decode(value)]));
    },
    patchSecret: async (patch) => void (await objects.patch(secrets, key, patch)),
    deleteSecret: () => objects.delete(secrets, key),
    external,
    password: () => (external()[0]?.credentials as { readonly password?: string } | undefined)?.password,
  };
}

function objectOfTest<T extends Conditioned, S>(
  objects: Objects,
  type: ResourceType<T> & { readonly apiVersion: string },
  key: { readonly namespace: string; readonly name: string },
  defaults: Partial<S>,
): ObjectOfTest<T, S> {
  const { apiVersion, kind } = type;
  const find = () => objects.find(type, key);
  const condition = async (conditionType: string) => {
    const found = (await find())?.status?.conditions.find((each) => each.type === conditionType);
    return found === undefined ? '' : `${found.status} ${found.reason} ${found.message ?? ''}`;
  };
  return {
    name: key.name,
    create: async (spec = {}) => {
      const object = { apiVersion, kind, metadata: key, spec: { ...defaults, ...spec } };
      await objects.apply<KubeObject>(type, object);
    },
    find,
    patch: async (spec) => void (await objects.patch<KubeObject>(type, key, { spec })),
    delete: () => objects.delete(type, key),
    condition,
    until: (conditionType, pattern) =>
      eventually(async () => expect(await condition(conditionType)).toMatch(pattern)),
    untilGone: () => eventually(async () => expect(await find()).toBeUndefined()),
  };
}

const encoded = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );

const decode = (value: string) => Buffer.from(value, 'base64').toString('utf8');

export async function createNamespace(objects: Objects, name: string): Promise<void> {
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
