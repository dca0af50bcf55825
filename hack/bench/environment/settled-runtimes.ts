/**
 * Runtimes as the infrastructure manager leaves them when they are Ready, stored without it: for thousands of them its own work would
 * take most of the time of a measurement.
 */
import { type AdminKubeconfigRequest, type Shoot, seeds, shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { collectionPath, objectPath } from '../../../internal/framework/kube/client/resource-path.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import {
  CONDITION,
  messages as clusterMessages,
  reasons as clusterReasons,
} from '../../../internal/systems/infrastructure-manager/gardenercluster/kubeconfig-rotation.ts';
import { secretFor } from '../../../internal/systems/infrastructure-manager/gardenercluster/kubeconfig-secret.ts';
import { gardenerClusterFor } from '../../../internal/systems/infrastructure-manager/gardenercluster/metadata.ts';
import { finalizer } from '../../../internal/systems/infrastructure-manager/metadata.ts';
import { createShootRendering } from '../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import {
  applyBindings,
  applyOpenIdConnects,
} from '../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import {
  applyProvisioningInfo,
  provisioningInfo,
} from '../../../internal/systems/infrastructure-manager/runtime/cluster/provisioning-info.ts';
import { createIfMissing } from '../../../internal/systems/infrastructure-manager/runtime/cluster/runtime-cluster.ts';
import { messages } from '../../../internal/systems/infrastructure-manager/runtime/messages.ts';
import { objectOwnership } from '../../../internal/systems/infrastructure-manager/runtime/ownership.ts';
import { conditionTypes, reasons } from '../../../internal/systems/infrastructure-manager/runtime/status.ts';
import { configurationOf } from '../../../test/contract/gardener/rendering/choices.ts';
import type { RuntimeClusters } from '../../../test/simulators/gardener/server/runtime-clusters.ts';
import type { SimulatedGardener } from '../../../test/simulators/gardener/simulated-gardener.ts';
import { inParallel } from '../measure/in-parallel.ts';
import type { BenchEnvironment } from './environment.ts';

/** A project of Gardener with a namespace of Runtimes. */
export interface SettledEnvironment extends Pick<BenchEnvironment, 'management' | 'clock' | 'signal'> {
  readonly namespace: string;
  readonly gardener: SimulatedGardener;
  readonly clusters: RuntimeClusters;
}

const conditions = [
  [conditionTypes.provisioned, reasons.shootCreationCompleted, messages.creationCompleted],
  [conditionTypes.kubeconfigReady, reasons.gardenerClusterReady, messages.gardenerClusterReady],
  [conditionTypes.kymaSystemCreated, reasons.kymaSystemReady, messages.kymaSystemCreated],
  [conditionTypes.oidcConfigured, reasons.oidcConfigured, messages.oidcConfigured],
  [conditionTypes.configured, reasons.administratorsConfigured, messages.administratorsConfigured],
] as const;

/** Stores these Runtimes with their Shoots, kubeconfigs and clusters. No program may run. */
export async function storeSettled(
  environment: SettledEnvironment,
  wanted: readonly Runtime[],
): Promise<void> {
  const { management, gardener, clusters, clock, signal, namespace } = environment;
  // The files of the bench name no maintenance windows.
  const configuration = { ...configurationOf(gardener.project), maintenanceWindows: new Map() };
  const rendering = createShootRendering(configuration);
  const ofGardener = gardener.client.otherProgram();
  const lastTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+/, '');
  const store = <T>(method: 'POST' | 'PATCH', path: string, body: object) =>
    management.send<T>({
      ...{ method, path, body },
      ...(method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
    });
  const madeShoot = async (runtime: Runtime): Promise<Shoot> => {
    const wantedShoot = rendering.create(runtime, undefined);
    const key = { namespace: gardener.namespace, name: wantedShoot.metadata.name };
    await ofGardener.create(shoots, wantedShoot);
    for (;;) {
      const shoot = gardener.client.peek(shoots, key);
      if (shoot?.status?.lastOperation?.state === 'Succeeded') return shoot;
      await sleep(clock, 20, signal);
    }
  };
  await inParallel(wanted, async ({ metadata, ...rest }) => {
    const { name } = metadata;
    const runtime = await store<Runtime>('POST', collectionPath(runtimes, namespace), {
      ...rest,
      metadata: { ...metadata, namespace, finalizers: [finalizer] },
    });
    const shoot = await madeShoot(runtime);
    const ready = await store<Runtime>('PATCH', objectPath(runtimes, { namespace, name }, 'status'), {
      status: {
        ...{ state: 'Ready', provisioningCompleted: true },
        shootLastOperation: shoot.status?.lastOperation,
        conditions: conditions.map(([type, reason, message]) => ({
          ...{ type, status: 'True', reason, message, lastTransitionTime },
        })),
      },
    });
    const cluster = gardenerClusterFor(runtime, name, shoot);
    await store('POST', collectionPath(gardenerClusters, namespace), cluster);
    const reason = clusterReasons.created;
    const message = clusterMessages[reason];
    const condition = { type: CONDITION, status: 'True', reason, message, lastTransitionTime };
    await store('PATCH', objectPath(gardenerClusters, { namespace, name }, 'status'), {
      status: { state: 'Ready', conditions: [condition] },
    });
    const { status } = await ofGardener.createSubresource<AdminKubeconfigRequest & Shoot>(
      shoots,
      { namespace: gardener.namespace, name },
      'adminkubeconfig',
      {
        apiVersion: 'authentication.gardener.cloud/v1alpha1',
        kind: 'AdminKubeconfigRequest',
        spec: { expirationSeconds: 86_400 },
      },
    );
    const { kubeconfig } = status as { readonly kubeconfig: string };
    await store('POST', collectionPath(secrets, namespace), secretFor(cluster, kubeconfig, clock.now()));
    const use = { client: clusters.clientOf(name), signal, assertMayWrite: () => undefined, isNew: true };
    const seed = await ofGardener.get(seeds, { name: shoot.spec?.seedName ?? '' });
    await createIfMissing(use);
    await applyProvisioningInfo(use, provisioningInfo(ready, shoot, seed.spec?.provider.region));
    const ownership = objectOwnership(runtime, [runtime]);
    await applyOpenIdConnects(use, ownership, rendering.openIdConnects(runtime));
    await applyBindings(use, ownership, runtime.spec?.security.administrators ?? []);
  });
}
