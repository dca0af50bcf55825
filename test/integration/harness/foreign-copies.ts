/**
 * What the program creates on real API servers and does not reconcile itself, by module: beside each of these objects the
 * environments of tests place a copy of another owner, and fail at the end of a file if one was changed or deleted.
 *
 * No copies have what the program would act on for a good reason: Runtimes, GardenerClusters, mappings, service objects and inventories
 * of others would be reconciled; a ProviderConfigUsage is a user of its configuration, whoever made it; a namespace with an object of
 * others is not removed with its component.
 */
import { type Shoot, shoots } from '../../../apis/gardener/kinds.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createKubeClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import {
  configMaps,
  controllerOf,
  type KubeObject,
  secrets,
} from '../../../internal/framework/kube/index.ts';
import {
  createTransport,
  type TransportRequest,
} from '../../../internal/framework/kube/transport/transport.ts';
import { connectionSecretType } from '../../../internal/framework/managed/connection/secret-publisher.ts';
import {
  labelClusterName,
  labelShootName,
} from '../../../internal/systems/infrastructure-manager/gardenercluster/metadata.ts';
import { annotationRuntimeId } from '../../../internal/systems/infrastructure-manager/metadata.ts';
import { CACHE_SECRET_PREFIX } from '../../../internal/systems/infrastructure-manager/rendering/model/extender.ts';
import {
  BINDINGS_MANAGER,
  type ClusterRoleBinding,
  clusterRoleBindings,
  labelBindings,
  openIdConnectType,
} from '../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import { shootOfConfig } from '../../../internal/systems/infrastructure-manager/runtime/shoot-of-runtime.ts';
import {
  LABEL_COMPONENT,
  LABEL_MANAGED_BY,
  MANAGED_BY,
} from '../../../internal/systems/reconciler/components/objects/interceptors.ts';
import {
  INVENTORY_NAMESPACE,
  inventoryName,
} from '../../../internal/systems/reconciler/components/objects/inventory.ts';
import { labelValue } from '../../../internal/systems/reconciler/components/objects/prepared-object.ts';
import { type CopiedKind, type ForeignCopies, placeForeignCopies } from '../../environment/foreign-copies.ts';

/** Of service bindings. */
export const boundSecrets: readonly CopiedKind[] = [
  { type: secrets, isOwn: (secret) => controllerOf(secret)?.kind === 'ServiceBinding' },
];

/** Of managed resources in a namespace. */
export const connectionSecrets = (namespace: string): readonly CopiedKind[] => [
  { type: secrets, selection: { namespace, fieldSelector: `type=${connectionSecretType}` } },
];

/** Of GardenerClusters. */
export const kubeconfigSecrets: readonly CopiedKind[] = [
  { type: secrets, selection: { labelSelector: `${labelClusterName},${labelShootName}` } },
];

/** In the clusters of Runtimes. The users of a copy are others, so that it gives nobody rights that a test has taken away. */
export const accessObjects: readonly CopiedKind[] = [
  {
    type: clusterRoleBindings,
    selection: { labelSelector: `${labelBindings}=${BINDINGS_MANAGER}` },
    copyOf: (object) => {
      const { subjects = [], ...binding } = object as ClusterRoleBinding;
      const others = subjects.map((subject) => ({ ...subject, name: `other-${subject.name}` }));
      return { ...binding, subjects: others } satisfies ClusterRoleBinding;
    },
  },
  { type: openIdConnectType },
];

/**
 * Of components.
 *
 * @param components of the test
 * @param copiesIn a namespace of others
 */
export const componentObjects = (
  components: ReadonlySet<string>,
  copiesIn: string,
): readonly CopiedKind[] => [
  {
    type: configMaps,
    selection: { labelSelector: `${LABEL_MANAGED_BY}=${MANAGED_BY}` },
    isOwn: ({ metadata: { labels = {} } }) =>
      [...components].some((name) => labels[LABEL_COMPONENT] === labelValue(name)),
    copiesIn,
  },
  {
    type: secrets,
    selection: { namespace: INVENTORY_NAMESPACE },
    isOwn: ({ metadata }) => [...components].some((name) => inventoryName(name) === metadata.name),
  },
];

/** In a project of Gardener. */
export const gardenerObjects = (namespace: string): readonly CopiedKind[] =>
  [
    {
      type: shoots,
      isOwn: ({ metadata }) => metadata.annotations?.[annotationRuntimeId] !== undefined,
      maxName: 12,
      // A domain is that of one Shoot, and the two fields of a profile exclude each other in a new one.
      copyOf: (object) => {
        const { status: _, ...shoot } = object as Shoot;
        const { dns: _d, seedName: _s, cloudProfile: _c, ...spec } = { ...shoot.spec };
        return { ...shoot, spec } as KubeObject;
      },
    } satisfies CopiedKind,
    { type: configMaps, isOwn: (object) => shootOfConfig(object) !== undefined } satisfies CopiedKind,
    {
      type: secrets,
      isOwn: ({ metadata }) => metadata.name.startsWith(CACHE_SECRET_PREFIX),
    } satisfies CopiedKind,
  ].map((kind) => ({ ...kind, selection: { namespace } }));

/** As an administrator of the control plane. */
export function placeCopiesOn(
  { kubeconfig }: Pick<ControlPlaneAccess, 'kubeconfig'>,
  kinds: readonly CopiedKind[],
): ForeignCopies {
  const config = parseUntrustedKubeconfig(kubeconfig);
  const transport = createTransport({ config, env: {} });
  // Tests count the requests of the program by its user agent.
  const named = (request: TransportRequest): TransportRequest => ({
    ...request,
    headers: { ...request.headers, 'user-agent': 'another-owner' },
  });
  const client = createKubeClient({
    ...{ clock: systemClock, config, clusterName: 'cluster test' },
    transport: {
      ...transport,
      call: (request, maxBytes) => transport.call(named(request), maxBytes),
      open: (request) => transport.open(named(request)),
    },
  });
  const copies = placeForeignCopies({ client, kinds });
  return { ...copies, stop: () => copies.stop().finally(() => client.close()) };
}
