/** ServiceInstances and ServiceBindings with Service Manager, for the measurement of the service operator. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { collectionPath, objectPath } from '../../../internal/framework/kube/client/resource-path.ts';
import { namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { btpCrds, installCrds } from '../../../test/environment/install-crds.ts';
import {
  namespaceManifest,
  secretManifest,
  serviceBindingManifest,
  serviceInstanceManifest,
} from '../../../test/environment/manifests.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../../test/simulators/service-manager/simulator.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import type { OperateOptions } from '../plain/plain-operator.ts';
import { type BenchEnvironment, endpointOf, type Requester } from './environment.ts';
import { put, putNamespaces } from './population.ts';
import { type Program, startPlain, startProvider, WORKERS } from './programs.ts';
import { untilNoneIsLeft, watchObjects } from './watched-objects.ts';

/** Latency of every response of Service Manager, in ms. */
export const SERVICE_MANAGER_LATENCY_MS = 20;
const RELEASE_NAMESPACE = 'bench-release';
const TIMEOUT_MS = 600_000;

export type ServiceKind = 'instances' | 'bindings';
const TYPES = { instances: serviceInstances, bindings: serviceBindings } as const;

/** The environment with Service Manager, and its credentials and the CRDs on `management`. */
export interface ServicesEnvironment extends BenchEnvironment, AsyncDisposable {
  readonly serviceManager: ServiceManagerSimulator;
  /** PEM file of the authority behind Service Manager's certificate. */
  readonly serviceManagerCa: string;
}

export async function openServices(environment: BenchEnvironment): Promise<ServicesEnvironment> {
  const { management, planes, directory } = environment;
  const serviceManager = await startServiceManagerSimulator({ latencyMs: SERVICE_MANAGER_LATENCY_MS });
  const serviceManagerCa = join(directory, 'service-manager-ca.pem');
  await writeFile(serviceManagerCa, serviceManager.caCertificate);
  await installCrds(planes.management, await btpCrds());
  await management.send({
    method: 'PATCH',
    path: `${objectPath(namespaces, { name: RELEASE_NAMESPACE })}?fieldManager=bench`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: namespaceManifest(RELEASE_NAMESPACE),
  });
  const { secret } = await serviceManager.credentials();
  const name = { namespace: RELEASE_NAMESPACE, name: 'sap-btp-service-operator' };
  // An earlier measurement has others, of its own Service Manager.
  await management.send({
    method: 'PATCH',
    path: `${objectPath(secrets, name)}?fieldManager=bench&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: secretManifest(name, secret),
  });
  return {
    ...environment,
    serviceManager,
    serviceManagerCa,
    [Symbol.asyncDispose]: () => serviceManager.stop(),
  };
}

/** One of the programs, which reconciles the objects of `services`. */
export async function startServiceProgram(
  environment: ServicesEnvironment,
  requester: Requester,
  { namespace }: Services,
): Promise<Program> {
  if (requester === 'provider') return startServiceOperator(environment);
  const { kubeconfigs, serviceManager } = environment;
  const { secret } = await serviceManager.credentials();
  return startPlain(environment, 'operate', {
    namespace,
    workers: WORKERS,
    endpoints: {
      management: await endpointOf(kubeconfigs.plain.management),
      serviceManager: { origin: serviceManager.url, ca: serviceManager.caCertificate },
      client: { id: secret.clientid ?? '', secret: secret.clientsecret ?? '' },
    },
  } satisfies OperateOptions);
}

/** The module `btp` with its default flags. Webhooks need certificates of an installation. */
export const OPERATOR = {
  flags: ['--controllers=btp'],
  env: { CLUSTER_ID: 'bench', RELEASE_NAMESPACE, ENABLE_WEBHOOKS: 'false' },
} as const;

export const startServiceOperator = (environment: ServicesEnvironment): Promise<Program> =>
  startProvider(environment, {
    ...OPERATOR,
    env: { ...OPERATOR.env, NODE_EXTRA_CA_CERTS: environment.serviceManagerCa },
  });

export interface Services extends Disposable {
  readonly namespace: string;
  readonly names: readonly string[];
  /** Creates all, 32 at a time. */
  create(kind: ServiceKind): Promise<void>;
  /** Deletes all of both kinds, 32 at a time, each instance right before its binding. */
  deleteAll(): Promise<void>;
  /** Resolves when a watch has reported all as ready. */
  untilReady(kind: ServiceKind): Promise<void>;
  /** When the watch reported each as ready, by the clock's monotonic time in ms. */
  readyTimes(kind: ServiceKind): number[];
  /** Resolves when a list of the bench is empty. */
  untilGone(kind: ServiceKind): Promise<void>;
}

/** Instances with a binding each, in a namespace of their own. */
export async function prepareServices(
  environment: BenchEnvironment,
  namespace: string,
  count: number,
): Promise<Services> {
  const { management } = environment;
  await putNamespaces(management, [namespace]);
  const names = range(count).map((index) => `${namespace}-${index}`);
  const manifestOf = (kind: ServiceKind, name: string) =>
    kind === 'instances'
      ? serviceInstanceManifest(
          { namespace, name },
          { spec: { serviceOfferingName: 'sample', servicePlanName: 'standard' } },
        )
      : serviceBindingManifest({ namespace, name }, { spec: { serviceInstanceName: name } });
  const watches = {
    instances: watchServices(environment, 'instances', namespace),
    bindings: watchServices(environment, 'bindings', namespace),
  };
  return {
    namespace,
    names,
    create: async (kind) => {
      await inParallel(names, (name) => put(management, TYPES[kind], manifestOf(kind, name)));
    },
    deleteAll: async () => {
      const paths = names.flatMap((name) =>
        (['instances', 'bindings'] as const).map((kind) => objectPath(TYPES[kind], { namespace, name })),
      );
      await inParallel(paths, (path) => management.send({ method: 'DELETE', path }));
    },
    untilReady: (kind) => {
      const { objects, until } = watches[kind];
      return until(() => {
        const left = [...objects.values()].find((object) => !isReady(object));
        if (objects.size === count && left === undefined) return undefined;
        const text = left?.status?.conditions?.[0]?.message ?? 'no condition';
        return `not all ${kind} are ready (one of them: ${text})`;
      }, TIMEOUT_MS);
    },
    readyTimes: (kind) => [...watches[kind].readyAt.values()],
    untilGone: (kind) => untilNoneIsLeft(environment, collectionPath(TYPES[kind], namespace), TIMEOUT_MS),
    [Symbol.dispose]: () => {
      for (const watched of Object.values(watches)) watched[Symbol.dispose]();
    },
  };
}

interface Watched {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly ready?: string;
    readonly conditions?: readonly { readonly message?: string }[];
  };
}

/** The objects of a kind in a namespace, as a watch reports them. */
const watchServices = (environment: BenchEnvironment, kind: ServiceKind, namespace: string) =>
  watchObjects<Watched>(environment, collectionPath(TYPES[kind], namespace), isReady);

const isReady = ({ status }: Watched): boolean => status?.ready === 'True';
