/**
 * The module `btp` as a process, with Service Manager's simulator: the environment of a file. The control plane is one of
 * its own, because the shared ones have these kinds with an open schema.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import {
  type ServiceInstance,
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { namespaces, secrets } from '../../../internal/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { btpCrds, installCrds } from '../../environment/install-crds.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../simulators/service-manager/simulator.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { type ProviderProcess, providerProcesses } from '../harness/provider/provider-process.ts';

const MAIN = join(import.meta.dirname, '../../../internal/cli/main.ts');

export interface BtpEnvironment {
  readonly objects: Objects;
  /** Sends requests to the API server as an admin. */
  readonly request: ControlPlaneAccess['request'];
  readonly simulator: ServiceManagerSimulator;
  start(): Promise<ProviderProcess>;
  /** Runs `doctor`. */
  doctor(
    ...args: readonly string[]
  ): Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>;
  /** A ServiceInstance in a namespace of its own, with the same name in Service Manager. */
  instance(): Promise<InstanceOfTest>;
  stop(): Promise<void>;
}

export interface InstanceOfTest {
  readonly name: string;
  create(spec?: Partial<ServiceInstanceSpec>): Promise<void>;
  find(): Promise<ServiceInstance | undefined>;
  patch(spec: object): Promise<void>;
  delete(): Promise<void>;
  putSecret(name: string, parameters: object): Promise<void>;
  secretMetadata(name: string): Promise<{ labels?: object; annotations?: object; finalizers?: string[] }>;
  /** `status reason message` of a condition. */
  condition(type: string): Promise<string>;
  until(type: string, pattern: RegExp): Promise<void>;
  untilGone(): Promise<void>;
  /** In Service Manager. */
  external(): ReturnType<ServiceManagerSimulator['store']['instances']>;
  /** Requests so far about the instance in its status. */
  requests(route: 'getInstance' | 'updateInstance' | 'deleteInstance'): Promise<number>;
}

export async function startBtpEnvironment(name: string): Promise<BtpEnvironment> {
  const [plane, simulator] = await Promise.all([startControlPlane({ name }), startServiceManagerSimulator()]);
  await installCrds(plane, await btpCrds());
  const objects = objectsOf(plane);
  const processes = await providerProcesses(simulator.caCertificate);
  const folder = await mkdtemp(join(tmpdir(), 'btp-'));
  await writeFile(join(folder, 'ca.pem'), simulator.caCertificate);
  const releaseNamespace = uniqueName('release');
  await createNamespace(objects, releaseNamespace);
  const { secret } = await simulator.credentials();
  await objects.apply(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sap-btp-service-operator', namespace: releaseNamespace },
    data: encoded(secret),
  });
  return {
    objects,
    request: plane.request,
    simulator,
    start: () =>
      processes.start({
        kubeconfig: plane.kubeconfig,
        args: ['--controllers=btp'],
        env: {
          CLUSTER_ID: 'cluster-1',
          RELEASE_NAMESPACE: releaseNamespace,
          ENABLE_WEBHOOKS: 'false',
          POLL_INTERVAL: '250ms',
          RETRY_BASE_DELAY: '50ms',
          RETRY_MAX_DELAY: '2s',
        },
      }),
    doctor: async (...args) => {
      const env = {
        NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
        KUBECONFIG: plane.kubeconfigPath,
        RELEASE_NAMESPACE: releaseNamespace,
      };
      const child = spawn(process.execPath, [MAIN, 'doctor', '--allow-private-endpoints', ...args], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ]);
      return { code, out, err };
    },
    instance: () => instanceOfTest(objects, simulator),
    stop: async () => {
      await rm(folder, { recursive: true, force: true });
      await processes.stop();
      await Promise.all([simulator.stop(), plane.stop()]);
    },
  };
}

const encoded = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );

async function createNamespace(objects: Objects, name: string): Promise<void> {
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

async function instanceOfTest(objects: Objects, simulator: ServiceManagerSimulator): Promise<InstanceOfTest> {
  const name = uniqueName('orders');
  const namespace = name;
  const key = { namespace, name };
  await createNamespace(objects, namespace);
  const find = () => objects.find(serviceInstances, key);
  const condition = async (type: string) => {
    const found = (await find())?.status?.conditions.find((each) => each.type === type);
    return found === undefined ? '' : `${found.status} ${found.reason} ${found.message ?? ''}`;
  };
  return {
    name,
    create: async (spec = {}) => {
      await objects.apply(serviceInstances, {
        apiVersion: 'services.cloud.sap.com/v1',
        kind: 'ServiceInstance',
        metadata: key,
        spec: { serviceOfferingName: 'sample', servicePlanName: 'standard', ...spec },
      });
    },
    find,
    patch: async (spec) => void (await objects.patch(serviceInstances, key, { spec })),
    delete: () => objects.delete(serviceInstances, key),
    putSecret: async (secret, parameters) => {
      const data = encoded({ parameters: JSON.stringify(parameters) });
      const metadata = { namespace, name: secret };
      await objects.apply(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
    },
    secretMetadata: async (secret) => (await objects.get(secrets, { namespace, name: secret })).metadata,
    condition,
    until: (type, pattern) => eventually(async () => expect(await condition(type)).toMatch(pattern)),
    untilGone: () => eventually(async () => expect(await find()).toBeUndefined()),
    external: () => simulator.store.instances().filter((instance) => instance.name.startsWith(name)),
    requests: async (route) => {
      const instance = (await find())?.status?.instanceID;
      return simulator.requests({ route, ...(instance ? { instance } : {}) }).length;
    },
  };
}
