/**
 * The requests for one Runtime, in sequence: what the infrastructure manager sends when nothing fails. The rendering of Shoots is that
 * of the module: what it costs, both programs pay.
 */
import { parse } from 'yaml';
import { type Shoot, shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { collectionPath, objectPath } from '../../../internal/framework/kube/client/resource-path.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import {
  planUpdate,
  withRecord,
} from '../../../internal/systems/infrastructure-manager/gardener/plan-update.ts';
import { gardenerClusterFor } from '../../../internal/systems/infrastructure-manager/gardenercluster/metadata.ts';
import { createShootRendering } from '../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import {
  clusterRoleBindings,
  openIdConnectType,
} from '../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import { configurationOf } from '../../../test/contract/gardener/rendering/choices.ts';
import { createPlainClient, type Endpoint, type PlainClient } from './plain-client.ts';
import { eventOf, now } from './plain-objects.ts';

export interface RuntimeEndpoints {
  readonly management: Endpoint;
  readonly gardener: Endpoint;
  /** Without `garden-`. */
  readonly project: string;
}

export interface PlainRuntimes {
  readonly management: PlainClient;
  readonly gardener: PlainClient;
  create(runtime: Runtime): Promise<void>;
  /** What follows when Gardener has made the Shoot. */
  configure(runtime: Runtime, shoot: Shoot): Promise<void>;
  patch(runtime: Runtime): Promise<void>;
  complete(runtime: Runtime): Promise<void>;
  /** Whether the Shoot is as the Runtime says. */
  isCurrent(runtime: Runtime, shoot: Shoot): boolean;
}

/** The program's own bound for each server. */
const CONNECTIONS = 32;
const FINALIZER = 'runtime-controller.infrastructure-manager.kyma-project.io/deletion-hook';
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const isAbsent = (error: unknown) => String(error).includes(': 404 ');

export function createPlainRuntimes({ project, ...endpoints }: RuntimeEndpoints): PlainRuntimes {
  const management = createPlainClient(endpoints.management, CONNECTIONS);
  const gardener = createPlainClient(endpoints.gardener, CONNECTIONS);
  // The files of the bench name no maintenance windows.
  const rendering = createShootRendering({ ...configurationOf(project), maintenanceWindows: new Map() });
  const namespace = `garden-${project}`;
  const shootPath = (name: string) => objectPath(shoots, { namespace, name });
  const pathOf = ({ metadata: { namespace: own = '', name } }: Runtime) =>
    objectPath(runtimes, { namespace: own, name });
  const setStatus = async (runtime: Runtime, state: string, reason: string) => {
    const condition = {
      type: 'Provisioned',
      status: 'True',
      reason,
      message: reason,
      lastTransitionTime: now(),
    };
    const body = { status: { state, conditions: [condition] } };
    await management.send({ method: 'PATCH', path: `${pathOf(runtime)}/status`, headers: MERGE, body });
    await management.send({
      method: 'POST',
      path: `/api/v1/namespaces/${runtime.metadata.namespace}/events`,
      body: eventOf(runtime, reason),
    });
  };
  const nameOf = ({ spec }: Runtime) => spec?.shoot.name ?? '';
  return {
    management,
    gardener,
    create: async (runtime) => {
      await management.send({
        ...{ method: 'PATCH', path: pathOf(runtime), headers: MERGE },
        body: { metadata: { finalizers: [FINALIZER] } },
      });
      await setStatus(runtime, 'Pending', 'Initialised');
      const name = nameOf(runtime);
      const found = await gardener.send({ path: shootPath(name) }).catch((error: unknown) => {
        if (!isAbsent(error)) throw error;
      });
      if (found !== undefined) throw new Error(`Shoot ${name} exists`);
      const body = rendering.create(runtime, undefined);
      await gardener.send({ method: 'POST', path: collectionPath(shoots, namespace), body });
      await setStatus(runtime, 'Pending', 'Pending');
    },
    configure: async (runtime, shoot) => {
      await setStatus(runtime, 'Pending', 'ShootCreationCompleted');
      const cluster = gardenerClusterFor(runtime, runtime.metadata.name, shoot);
      const { namespace: own = '', name } = cluster.metadata;
      await management.send({ method: 'POST', path: collectionPath(gardenerClusters, own), body: cluster });
      const { status } = await gardener.send<{ status: { kubeconfig: string } }>({
        ...{ method: 'POST', path: `${shootPath(nameOf(runtime))}/adminkubeconfig` },
        body: {
          apiVersion: 'authentication.gardener.cloud/v1alpha1',
          kind: 'AdminKubeconfigRequest',
          spec: { expirationSeconds: 86_400 },
        },
      });
      const secret = {
        ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
        metadata: {
          ...{ namespace: own, name: `kubeconfig-${name}`, labels: cluster.metadata.labels },
          annotations: { 'operator.kyma-project.io/last-sync': now() },
        },
        data: { config: status.kubeconfig },
      };
      await management.send({ method: 'POST', path: collectionPath(secrets, own), body: secret });
      const ready = { type: 'KubeconfigManagement', status: 'True', reason: 'Created', message: 'Created' };
      await management.send({
        ...{ method: 'PATCH', headers: MERGE },
        path: `${objectPath(gardenerClusters, { namespace: own, name })}/status`,
        body: { status: { state: 'Ready', conditions: [{ ...ready, lastTransitionTime: now() }] } },
      });
      await setStatus(runtime, 'Pending', 'GardenerClusterCRReady');
      await configureCluster(runtime, status.kubeconfig);
      await setStatus(runtime, 'Ready', 'AdministratorsConfigured');
    },
    patch: async (runtime) => {
      const path = shootPath(nameOf(runtime));
      const live = await gardener.send<Shoot>({ path });
      const wanted = rendering.patch(runtime, live, undefined);
      const { shoot } = planUpdate(live, wanted, { applied: undefined });
      await gardener.send({ method: 'PUT', path, body: withRecord(shoot, wanted) });
      await setStatus(runtime, 'Pending', 'Processing');
    },
    complete: (runtime) => setStatus(runtime, 'Ready', 'ConfigurationCompleted'),
    isCurrent: (runtime, shoot) => {
      const { spec } = rendering.patch(runtime, shoot, undefined);
      const wanted = { ...shoot, ...(spec === undefined ? {} : { spec }) };
      return planUpdate(shoot, wanted, { applied: undefined }).differences.length === 0;
    },
  };

  async function configureCluster(runtime: Runtime, kubeconfig: string): Promise<void> {
    const client = createPlainClient(endpointIn(kubeconfig), 1);
    try {
      await client.send({ path: collectionPath(openIdConnectType, undefined) });
      for (const [index, spec] of rendering.openIdConnects(runtime).entries()) {
        const name = `kyma-oidc-${index}`;
        const { apiVersion, kind } = openIdConnectType;
        await client.send({
          ...{ method: 'PATCH', headers: APPLY },
          path: `${objectPath(openIdConnectType, { name })}?fieldManager=kim&force=true`,
          body: { apiVersion, kind, metadata: { name }, spec },
        });
      }
      await client.send({ path: collectionPath(clusterRoleBindings, undefined) });
      for (const [index, admin] of (runtime.spec?.security.administrators ?? []).entries()) {
        const { apiVersion, kind } = clusterRoleBindings;
        const apiGroup = 'rbac.authorization.k8s.io';
        await client.send({
          ...{ method: 'POST', path: collectionPath(clusterRoleBindings, undefined) },
          body: {
            ...{ apiVersion, kind, metadata: { name: `admin-${index}` } },
            roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
            subjects: [{ apiGroup, kind: 'User', name: admin }],
          },
        });
      }
    } finally {
      await client.close();
    }
  }
}

/** Server and credentials of a kubeconfig of Gardener, in base64. */
function endpointIn(kubeconfig: string): Endpoint {
  const text = (base64: string) => Buffer.from(base64, 'base64').toString();
  const { clusters, users } = parse(text(kubeconfig)) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const [{ cluster }, { user }] = [clusters[0], users[0]];
  return {
    origin: cluster.server,
    ca: text(cluster['certificate-authority-data']),
    cert: text(user['client-certificate-data']),
    key: text(user['client-key-data']),
  };
}
