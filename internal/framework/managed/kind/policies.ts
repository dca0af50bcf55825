/**
 * Management policies (`spec.managementPolicies`) state which actions the provider may perform on the external
 * resource. Cluster-scoped resources also have `spec.deletionPolicy`. This file combines both; policies are compared
 * as sets.
 */
import type { Managed } from '../resource/managed.ts';

export type ManagementAction = 'Observe' | 'Create' | 'Update' | 'LateInitialize' | 'Delete' | '*';

/** The sets that a controller supports unless its kind names others. The empty set pauses. */
export const supportedPolicySets: readonly (readonly ManagementAction[])[] = [
  ['*'],
  ['Observe', 'Create', 'Update', 'LateInitialize', 'Delete'],
  ['Observe', 'Create', 'Update', 'Delete'],
  ['Observe', 'Create', 'Update', 'LateInitialize'],
  ['Observe', 'Create', 'Update'],
  ['Observe', 'Create', 'LateInitialize', 'Delete'],
  ['Observe', 'Create', 'LateInitialize'],
  ['Observe', 'Create', 'Delete'],
  ['Observe', 'Create'],
  ['Observe', 'Delete'],
  ['Observe', 'Update'],
  ['Observe', 'Update', 'LateInitialize'],
  ['Observe', 'LateInitialize'],
  ['Observe'],
  [],
];

export interface PolicyOptions {
  /** Whether the management-policies feature is on. */
  readonly enabled: boolean;
  /** Supported sets; default `supportedPolicySets`. */
  readonly supported?: readonly (readonly ManagementAction[])[] | undefined;
}

/** What the policies of one resource allow. */
export interface Policies {
  /** The reconcile is paused. */
  readonly paused: boolean;
  /** Why the policies are invalid; `undefined` if they are valid. */
  readonly problem: string | undefined;
  readonly onlyObserve: boolean;
  /** Whether the external resource is deleted with the managed resource; otherwise it is orphaned. */
  readonly deletesExternal: boolean;
  allows(action: Exclude<ManagementAction, '*'>): boolean;
}

/** @param resource one without a `managementPolicies` field counts as `["*"]`, the default of every CRD */
export function resolvePolicies(resource: Managed, options: PolicyOptions): Policies {
  const set = new Set<string>(resource.spec.managementPolicies ?? ['*']);
  if (!options.enabled) {
    return {
      paused: false,
      problem: isOneOf(set, [['*'], []]) ? undefined : notEnabled(set),
      onlyObserve: false,
      deletesExternal: isLegacy(resource) ? resource.spec.deletionPolicy !== 'Orphan' : true,
      allows: () => true,
    };
  }
  return {
    paused: set.size === 0,
    problem: isOneOf(set, options.supported ?? supportedPolicySets) ? undefined : notSupported(set),
    onlyObserve: isOneOf(set, [['Observe']]),
    deletesExternal: deletesExternal(resource, set),
    allows: (action) => set.has('*') || set.has(action),
  };
}

/** An explicit Delete overrides the deletion policy; with `*` the deletion policy must be Delete as well. */
function deletesExternal(resource: Managed, set: ReadonlySet<string>): boolean {
  if (!isLegacy(resource)) return set.has('*') || set.has('Delete');
  return set.has('Delete') || (set.has('*') && resource.spec.deletionPolicy === 'Delete');
}

/** Cluster-scoped managed resources have a deletion policy, namespaced ones have none. */
function isLegacy(resource: Managed): boolean {
  return resource.metadata.namespace === undefined;
}

function isOneOf(set: ReadonlySet<string>, sets: readonly (readonly string[])[]): boolean {
  return sets.some((other) => other.length === set.size && other.every((action) => set.has(action)));
}

const listed = (set: ReadonlySet<string>) => `[${[...set].sort().join(' ')}]`;

function notEnabled(set: ReadonlySet<string>): string {
  return `\`spec.managementPolicies\` is set to a non-default value but the feature is not enabled: ${listed(set)}`;
}

function notSupported(set: ReadonlySet<string>): string {
  return `\`spec.managementPolicies\` is set to a value(${listed(set)}) which is not supported. Check docs for supported policies`;
}
