/**
 * All that the provider's user must be allowed to do on the management cluster, and what for. Tests hold it from both
 * sides: what an installation grants covers it, and whatever the provider was ever seen to ask for is in it.
 */
import { instanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../controllers/inventory/kymainstancemapping/source-types.ts';
import type { AccessQuestion } from '../../kube/access-review.ts';
import {
  configMaps,
  customResourceDefinitions,
  events,
  leases,
  type ResourceType,
  secrets,
} from '../../kube/resource-type.ts';
import { configTypes } from '../../runtime/providerconfig/provider-config.ts';
import type { ManagedKindEntry } from '../managed-kind-entry.ts';

/** What a right is needed for. */
export const purposes = {
  resources: 'every resource',
  configs: 'provider configurations and their usages',
  events: 'events',
  'leader-election': 'leader election',
  'safe-start': 'starting and stopping kinds with their CRDs',
  kubeconfigs: 'sources on other clusters, by kymaConnectionRef; admin credentials of InstanceMappings',
  'local-sources': 'sources on this cluster: KymaInstanceMappings without kymaConnectionRef',
  'namespace-deletion': 'taking mappings along when their namespace is deleted',
  'orphaned-usages': 'removing usages that nobody owns any more',
  'take-over': "taking over from SAP's Go provider",
} as const;

export type Purpose = keyof typeof purposes;

export interface RequiredRight extends AccessQuestion {
  readonly purpose: Purpose;
  /** What still works without it; absent: nothing of what it is for does. */
  readonly otherwise?: string;
}

/** What is needed by choice of the user is missed by nobody who has chosen otherwise. */
const otherwises: Readonly<Partial<Record<Purpose, string>>> = {
  events: 'no events are written',
  'leader-election': 'one replica works, with --no-leader-election',
  'safe-start': 'all kinds run, and those that are not installed are waited for',
  'local-sources': 'mappings with a kymaConnectionRef work',
  'namespace-deletion': 'the deletion waits where sources were gone before their mapping',
  'orphaned-usages': 'such usages stay, and do not count',
  'take-over': 'what the other provider left stays, and does no harm',
};

export function requiredRights(kinds: readonly ManagedKindEntry[]): RequiredRight[] {
  const generations = [...new Set(kinds.map(({ configs }) => configs))];
  const usages = generations.map(({ usage }) => usage);
  const owned = (type: ResourceType, purpose: Purpose) => [
    ...rights(purpose, type, ['get', 'list', 'watch', 'update']),
    ...rights(purpose, type, ['update'], 'status'),
  ];
  return [
    ...kinds.flatMap(({ type }) => [
      ...owned(type, 'resources'),
      // Usages block the deletion of their resource; some clusters let only those do so who may finalize it.
      ...rights('resources', type, ['update'], 'finalizers'),
    ]),
    ...generations.flatMap(configTypes).flatMap((type) => owned(type, 'configs')),
    ...usages.flatMap((type) => rights('configs', type, ['get', 'list', 'watch', 'create', 'patch'])),
    ...usages.flatMap((type) => rights('orphaned-usages', type, ['delete'])),
    ...rights('kubeconfigs', secrets, ['get', 'watch']),
    ...rights('local-sources', configMaps, ['get', 'watch']),
    ...rights('local-sources', serviceInstances, ['get', 'watch']),
    ...rights('local-sources', serviceBindings, ['get', 'watch']),
    // A dry run, which tells whether the namespace takes anything new.
    ...rights('namespace-deletion', configMaps, ['create']),
    ...rights('events', events, ['create', 'patch']),
    ...rights('leader-election', leases, ['get', 'create', 'update']),
    ...rights('safe-start', customResourceDefinitions, ['get', 'list', 'watch']),
    ...kinds
      .filter(({ type }) => !type.namespaced && type.kind === 'KymaInstanceMapping')
      .flatMap(({ type }) => rights('take-over', type, ['patch'], 'status')),
    ...rights('take-over', instanceMappings, ['delete']),
    ...rights('take-over', secrets, ['delete']),
  ];
}

function rights(
  purpose: Purpose,
  type: ResourceType,
  verbs: readonly string[],
  subresource?: string,
): RequiredRight[] {
  const otherwise = otherwises[purpose];
  return verbs.map((verb) => ({
    verb,
    type,
    purpose,
    ...(subresource === undefined ? {} : { subresource }),
    ...(otherwise === undefined ? {} : { otherwise }),
  }));
}
