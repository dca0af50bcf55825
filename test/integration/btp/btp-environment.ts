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
import { noHelmBecause } from '../../environment/helm.ts';
import { btpCrds, installCrds } from '../../environment/install-crds.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../simulators/service-manager/simulator.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { installBtpChart, OPERATOR_ACCOUNT } from '../harness/provider/btp-installation.ts';
import { type ProviderProcess, providerProcesses } from '../harness/provider/provider-process.ts';

const MAIN = join(import.meta.dirname, '../../../internal/cli/main.ts');

export interface BtpEnvironment {
  readonly objects: Objects;
  /** Sends requests to the API server as an admin. */
  readonly request: ControlPlaneAccess['request'];
  readonly simulator: ServiceManagerSimulator;
  start(env?: Readonly<Record<string, string>>): Promise<ProviderProcess>;
  /** Runs `doctor`. */
  doctor(
    ...args: readonly string[]
  ): Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>;
  /** A ServiceInstance in a namespace of its own, with the same name in Service Manager. */
  instance(): Promise<InstanceOfTest>;
  /** @throws if a request of the module was refused for lack of a right */
  stop(): Promise<void>;
}

export interface BtpEnvironmentOptions {
  /** Namespaces of instances, to which the module is limited; default: none, and it has access to the cluster. */
  readonly allowedNamespaces?: readonly string[];
  /** Namespace with credentials of others; default: the release namespace. */
  readonly managementNamespace?: string;
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

/**
 * The module runs as the service account of the Helm chart, with the rights that the chart grants it. Without Helm on this
 * machine it runs as an admin.
 */
export async function startBtpEnvironment(
  name: string,
  { allowedNamespaces = [], managementNamespace }: BtpEnvironmentOptions = {},
): Promise<BtpEnvironment> {
  const [plane, simulator] = await Promise.all([startControlPlane({ name }), startServiceManagerSimulator()]);
  const objects = objectsOf(plane);
  const processes = await providerProcesses(simulator.caCertificate);
  const folder = await mkdtemp(join(tmpdir(), 'btp-'));
  await writeFile(join(folder, 'ca.pem'), simulator.caCertificate);
  const releaseNamespace = uniqueName('release');
  const others = managementNamespace === undefined ? [] : [managementNamespace];
  for (const each of [releaseNamespace, ...allowedNamespaces, ...others])
    await createNamespace(objects, each);
  const { secret } = await simulator.credentials();
  const isLimited = allowedNamespaces.length > 0;
  const limits = {
    ...(isLimited ? { allow_cluster_access: false, allowed_namespaces: allowedNamespaces } : {}),
    ...(managementNamespace === undefined ? {} : { management_namespace: managementNamespace }),
  };
  const installation =
    (await noHelmBecause()) === undefined
      ? await installBtpChart({
          plane,
          namespace: releaseNamespace,
          secret,
          manager: limits,
          cluster: { id: 'cluster-1' },
        })
      : undefined;
  if (installation === undefined) {
    await installCrds(plane, await btpCrds());
    const key = { namespace: releaseNamespace, name: 'sap-btp-service-operator' };
    await objects.apply(secrets, secretManifest(key, secret));
  }
  const kubeconfig = (await installation?.kubeconfigOf(OPERATOR_ACCOUNT)) ?? plane.kubeconfig;
  const namespacesLeft = [...allowedNamespaces];
  return {
    objects,
    request: plane.request,
    simulator,
    start: (env = {}) =>
      processes.start({
        kubeconfig,
        args: ['--controllers=btp'],
        env: {
          CLUSTER_ID: 'cluster-1',
          RELEASE_NAMESPACE: releaseNamespace,
          MANAGEMENT_NAMESPACE: managementNamespace ?? releaseNamespace,
          ALLOW_CLUSTER_ACCESS: String(!isLimited),
          ALLOWED_NAMESPACES: allowedNamespaces.join(','),
          ENABLE_WEBHOOKS: 'false',
          POLL_INTERVAL: '250ms',
          RETRY_BASE_DELAY: '50ms',
          RETRY_MAX_DELAY: '2s',
          ...env,
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
    instance: () => instanceOfTest(objects, simulator, namespacesLeft.shift()),
    stop: async () => {
      await processes.stop();
      const refusals = await installation?.refusals(OPERATOR_ACCOUNT);
      await installation?.close();
      await rm(folder, { recursive: true, force: true });
      await Promise.all([simulator.stop(), plane.stop()]);
      expect(refusals ?? []).toEqual([]);
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

async function instanceOfTest(
  objects: Objects,
  simulator: ServiceManagerSimulator,
  name = uniqueName('orders'),
): Promise<InstanceOfTest> {
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
