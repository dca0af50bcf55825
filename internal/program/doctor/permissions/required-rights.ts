/**
 * All rights that the provider's user needs on the management cluster, by purpose. Tests compare the list with the
 * roles of the examples and with the API server's audit log.
 */

import { customResourceDefinitions, type ResourceType } from '../../../framework/kube/index.ts';
import { events, leases } from '../../../framework/kube/object/resource-type.ts';
import { configTypes } from '../../../framework/managed/index.ts';
import type { LoadedModule } from '../../../framework/module/module.ts';
import {
  inNamespaces,
  type Purpose,
  type RequiredRight,
  rightsFor,
} from '../../../framework/module/right.ts';
import { defaultFlags, type StartFlags } from '../../provider/flags.ts';

const resources: Purpose = { name: 'resources', neededFor: 'every resource' };
const configurations: Purpose = {
  name: 'configs',
  neededFor: 'provider configurations and their usages',
};
const orphanedUsages: Purpose = {
  name: 'orphaned-usages',
  neededFor: 'deleting usages without an owner',
  otherwise: 'these usages stay, and do not count',
};
const eventRecords: Purpose = { name: 'events', neededFor: 'events', otherwise: 'no events are written' };
const leaderElection: Purpose = {
  name: 'leader-election',
  neededFor: 'leader election',
  otherwise: 'only one replica is possible, with --no-leader-election',
};
const safeStart: Purpose = {
  name: 'safe-start',
  neededFor: 'starting and stopping kinds with their CRDs',
  otherwise: 'all kinds are started, and wait for their CRDs',
};

const composition: Purpose = { name: 'composition', neededFor: 'composing these kinds' };

/** The rights of Crossplane that composes the kinds of the modules, by server-side apply. */
export const composingRights = (
  modules: readonly Pick<LoadedModule<StartFlags>, 'kinds' | 'composed'>[],
): RequiredRight[] =>
  modules
    .flatMap(({ kinds, composed = [] }): ResourceType[] => [...kinds.map(({ type }) => type), ...composed])
    .flatMap((type) =>
      rightsFor(composition, type, ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
    );

export interface RightsOptions {
  /** Of `start`. They decide in which namespaces modules need rights. */
  readonly flags?: StartFlags;
  /** The Lease of leader election; default: any, in any namespace. */
  readonly lease?: { readonly name: string; readonly namespace: string };
}

/** The rights of the modules, and those that the framework needs for all of them. */
export function requiredRights(
  modules: readonly Omit<LoadedModule<StartFlags>, 'open'>[],
  { flags = defaultFlags(), lease }: RightsOptions = {},
): RequiredRight[] {
  const kinds = modules.flatMap((module) => module.kinds);
  const configs = modules.flatMap((module) => module.configs);
  const usages = configs.map(({ usage }) => usage);
  const owned = (purpose: Purpose, type: ResourceType) => [
    ...rightsFor(purpose, type, ['get', 'list', 'watch', 'update']),
    ...rightsFor(purpose, type, ['update'], 'status'),
  ];
  return [
    ...kinds.flatMap(({ type }) => [
      ...owned(resources, type),
      // For `blockOwnerDeletion` of usages: admission plugin OwnerReferencesPermissionEnforcement.
      ...rightsFor(resources, type, ['update'], 'finalizers'),
    ]),
    ...configs.flatMap(configTypes).flatMap((type) => owned(configurations, type)),
    ...usages.flatMap((type) => rightsFor(configurations, type, ['get', 'list', 'watch', 'create', 'patch'])),
    ...usages.flatMap((type) => rightsFor(orphanedUsages, type, ['delete'])),
    ...modules.flatMap((module) => module.rights(flags)),
    ...inNamespaces(
      rightsFor(eventRecords, events, ['create', 'patch']),
      reconciledNamespaces(modules, flags),
    ),
    ...inNamespaces(
      rightsFor(leaderElection, leases, ['create']),
      lease === undefined ? undefined : [lease.namespace],
    ),
    ...rightsFor(leaderElection, leases, ['get', 'update']).map((right) => ({ ...right, ...lease })),
    ...rightsFor(safeStart, customResourceDefinitions, ['get', 'list', 'watch']),
  ];
}

/** Of all modules; undefined: all namespaces. */
function reconciledNamespaces(
  modules: readonly Omit<LoadedModule<StartFlags>, 'open'>[],
  flags: StartFlags,
): readonly string[] | undefined {
  const lists = modules.map((module) => module.namespaces?.(flags));
  return lists.includes(undefined) ? undefined : [...new Set(lists.flatMap((list) => list ?? []))];
}
