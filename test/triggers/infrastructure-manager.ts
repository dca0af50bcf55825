import { type Shoot, shoots } from '../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { runtimes } from '../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { Clock } from '../../internal/framework/base/time/clock.ts';
import { apiError, createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { configMaps, secrets } from '../../internal/framework/kube/index.ts';
import {
  labelClusterName,
  labelManagedBy,
  labelShootName,
  MANAGED_BY,
} from '../../internal/systems/infrastructure-manager/gardenercluster/metadata.ts';
import { createRefusedKubeconfigs } from '../../internal/systems/infrastructure-manager/gardenercluster/rotation.ts';
import { authenticationConfigName, labels } from '../../internal/systems/infrastructure-manager/metadata.ts';
import { createRuntimeEvents } from '../../internal/systems/infrastructure-manager/registrycache/watcher-listener.ts';
import {
  configurationOf,
  switchedNothing,
} from '../../internal/systems/infrastructure-manager/rendering/fixtures/rendering.fixture.ts';
import { createShootRendering } from '../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { auditLogs } from '../../internal/systems/infrastructure-manager/runtime/audit-log-kind.ts';
import { clusterTrustBundles } from '../../internal/systems/infrastructure-manager/runtime/bootstrapper/manifests.ts';
import {
  NAMESPACE,
  runtimeOf,
  SHOOT,
  worker,
} from '../../internal/systems/infrastructure-manager/runtime/fixtures/runtime.fixture.ts';
import { startRuntimeHarness } from '../../internal/systems/infrastructure-manager/runtime/fixtures/runtime-harness.fixture.ts';
import { observeTriggers, type TriggerRow, type TriggerWorld } from './observe-triggers.ts';

const at = (name: string) => ({ namespace: NAMESPACE, name });
const RUNTIME = 'runtime-1';
const KEY = `${NAMESPACE}/${RUNTIME}`;
const SECRET = at(`kubeconfig-${RUNTIME}`);
const copied = (name: string) => ({ source: at(name), target: { namespace: 'kyma-system', name } });

const PROJECT = 'kyma';
/** It does nothing, and refuses nothing. */
const emptyGardener = async ({ clock }: { readonly clock: Clock }) => ({
  client: createMemoryClient({ clock, clusterName: 'cluster gardener' }),
  ...{ project: PROJECT, namespace: `garden-${PROJECT}` },
  ...{ signed: async () => undefined, stop: async () => undefined },
});

/** A Runtime with all that it may have: a Shoot, a GardenerCluster, an access control list, an AuditLog and the runtime bootstrapper. */
export async function infrastructureManagerTriggers(): Promise<TriggerWorld> {
  const triggers = observeTriggers();
  const refusedKubeconfigs = createRefusedKubeconfigs();
  const events = createRuntimeEvents();
  const { kubernetes } = configurationOf().converter;
  const kubeApiServer = { ...switchedNothing.kubeApiServer, acl: { configMapName: 'acl' } };
  let changeConfiguration: () => void = () => undefined;
  const h = await startRuntimeHarness(emptyGardener, {
    ...{ build: triggers.build, refusedKubeconfigs, events, isStopped: true },
    ...{ hasRegistryCaches: true, auditLogsEnabled: true, accessControlEnabled: true },
    rendering: createShootRendering(configurationOf({ kubernetes: { ...kubernetes, kubeApiServer } })),
    onConfigurationChange: (listener) => {
      changeConfiguration = listener;
      return () => undefined;
    },
    bootstrapper: {
      manifests: at('manifests'),
      deployment: { namespace: 'kyma-system', name: 'bootstrapper' },
      config: copied('config'),
      pullSecret: copied('pull'),
      trustBundle: { source: { name: 'trusted' }, target: { name: 'trusted' } },
    },
  });
  const { client, gardener } = h;
  const users = client.otherProgram();
  const owners = gardener.client.otherProgram();
  const shootKey = { namespace: gardener.namespace, name: SHOOT };
  client.seed(
    runtimes,
    runtimeOf({
      kubernetes: { kubeAPIServer: { acl: { allowedCIDRs: ['9.9.9.9/32'] } } },
      provider: { type: 'aws', workers: [worker()] },
    }),
  );
  gardener.client.seed(shoots, {
    ...{ apiVersion: shoots.apiVersion, kind: shoots.kind, metadata: shootKey },
    spec: { provider: { type: 'aws', workers: [] } },
    status: { lastOperation: { state: 'Processing', description: '' } },
  } as unknown as Shoot);
  client.seed(gardenerClusters, {
    ...{ apiVersion: gardenerClusters.apiVersion, kind: gardenerClusters.kind, metadata: at(RUNTIME) },
    spec: { shoot: { name: SHOOT }, kubeconfig: { secret: { ...SECRET, key: 'config' } } },
  } as GardenerCluster);
  client.seed(secrets, {
    ...{ apiVersion: 'v1', kind: 'Secret', data: {} },
    metadata: {
      ...SECRET,
      labels: {
        [labelShootName]: SHOOT,
        [labels.runtimeId]: RUNTIME,
        [labelManagedBy]: MANAGED_BY,
        [labelClusterName]: RUNTIME,
      },
    },
  });
  await h.restart();
  const row = (what: string, change: TriggerRow['change']): TriggerRow => ({ what, change, reconciles: KEY });
  const label = { metadata: { labels: { changed: 'true' } } };
  const secretRow = row('the Secret with its kubeconfig', () =>
    users.mergePatch(secrets, SECRET, {
      data: { config: Buffer.from(`${h.clock.now()}`).toString('base64') },
    }),
  );
  const outage = row('Gardener, which does not answer for some time', async () => {
    const end = gardener.client.onRequest(({ verb }) => {
      if (verb === 'list' || verb === 'watch') throw apiError(503, 'ServiceUnavailable', 'away');
    });
    gardener.client.expireWatches();
    await h.wait(5000);
    end();
    await h.wait(60_000);
  });
  const shootStatus = (status: object) =>
    owners.mergePatch(shoots, shootKey, { status }, { subresource: 'status' });
  const created = (name: string) =>
    users.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: at(name), data: {} });
  const auditLog = {
    ...{ apiVersion: auditLogs.apiVersion, kind: auditLogs.kind, metadata: at('log') },
    spec: {
      ...{ regions: ['eu-central-1'], subaccountID: 'tenant', assignedToRuntimeID: RUNTIME },
      config: { serviceURL: 'https://own.example.org', gardenerSecretName: 'a', readCredsSecretName: 'b' },
    },
  };
  return {
    triggers,
    rows: {
      'runtime-controller': [
        row('itself', () =>
          users.mergePatch(runtimes, at(RUNTIME), { spec: { shoot: { purpose: 'testing' } } }),
        ),
        row('its Shoot', () => owners.mergePatch(shoots, shootKey, { spec: { purpose: 'testing' } })),
        row('a change while no process ran', () => h.restart()),
        row('its GardenerCluster', () => users.mergePatch(gardenerClusters, at(RUNTIME), label)),
        row('its authentication configuration', () =>
          owners.create(configMaps, {
            ...{ apiVersion: 'v1', kind: 'ConfigMap', data: {} },
            metadata: { ...shootKey, name: authenticationConfigName(SHOOT) },
          }),
        ),
        outage,
        row('the configuration of the program', () => changeConfiguration()),
        row('the access control lists', () => created('acl')),
        row('its AuditLog', () => users.create(auditLogs, auditLog)),
        row('the manifests of the runtime bootstrapper', () => created('manifests')),
        row('the configuration of the runtime bootstrapper', () => created('config')),
        row('the pull Secret of the runtime bootstrapper', () =>
          users.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: at('pull'), data: {} }),
        ),
        row('the trust bundle of the runtime bootstrapper', () =>
          users.create(clusterTrustBundles, {
            ...{ apiVersion: 'certificates.k8s.io/v1beta1', kind: 'ClusterTrustBundle' },
            ...{ metadata: { name: 'trusted' }, spec: { trustBundle: '' } },
          }),
        ),
      ],
      'gardener-cluster-controller': [
        row('itself', () =>
          users.mergePatch(gardenerClusters, at(RUNTIME), { metadata: { annotations: { rotate: '' } } }),
        ),
        secretRow,
        row('a phase in which Gardener replaces the authority of its Shoot', () =>
          shootStatus({
            credentials: {
              rotation: {
                certificateAuthorities: {
                  phase: 'Prepared',
                  lastInitiationFinishedTime: '2026-01-01T00:00:00Z',
                },
              },
            },
          }),
        ),
        row('the operation of its Shoot, while it is not Ready', () =>
          shootStatus({ lastOperation: { state: 'Succeeded' } }),
        ),
        outage,
        row('its cluster, which refuses the kubeconfig', () =>
          refusedKubeconfigs.report(`${NAMESPACE}/${SECRET.name}`, '1', apiError(401, 'Unauthorized')),
        ),
      ],
      'registry-cache-controller': [
        row('itself', () => users.mergePatch(runtimes, at(RUNTIME), label)),
        secretRow,
        row('a report of the runtime watcher', () => events.report(RUNTIME)),
      ],
    },
    wait: h.wait,
    stop: h.stop,
  };
}
