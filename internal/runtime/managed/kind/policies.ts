/**
 * Management policies say which actions the provider may take on the external resource (`spec.managementPolicies`);
 * legacy cluster-scoped resources also have `spec.deletionPolicy`. Both are compared as sets and answered here once,
 * so that no other file has to know how the two combine.
 */
import type { Managed } from '../../resource/managed.ts';

export type ManagementAction = 'Observe' | 'Create' | 'Update' | 'LateInitialize' | 'Delete' | '*';

/** Every set that a controller accepts unless its kind names others. The empty set pauses. */
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
  /** Sets that are accepted; default `supportedPolicySets`. */
  readonly supported?: readonly (readonly ManagementAction[])[];
}

/** What the policies of one resource allow. */
export interface Policies {
  /** Nothing at all may be done. */
  readonly paused: boolean;
  /** Why the policies cannot be followed; `undefined` where they can. */
  readonly problem: string | undefined;
  readonly onlyObserve: boolean;
  /** Whether the external resource goes when the managed one is deleted; if not, it is orphaned. */
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

/** An explicit Delete wins over the deletion policy; under `*` a legacy resource must also say Delete there. */
function deletesExternal(resource: Managed, set: ReadonlySet<string>): boolean {
  if (!isLegacy(resource)) return set.has('*') || set.has('Delete');
  if (isOneOf(set, [['*']])) return resource.spec.deletionPolicy === 'Delete';
  return set.has('Delete') || (set.has('*') && resource.spec.deletionPolicy === 'Delete');
}

/** The first generation of managed resources is cluster-scoped, the second is not and has no deletion policy. */
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
