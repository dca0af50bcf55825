/**
 * What HANA Cloud should have after any sequence of changes and faults. It knows nothing of reconciles: only which
 * resources exist, which mapping each describes, and which mappings may be left by a policy or a third party.
 */

/** Where mappings of a run may lead: cluster IDs of its own, which a change of the ConfigMap replaces. */
export const TARGETS = 3;
export const SHARDS = ['a', 'b'] as const;
export type Shard = (typeof SHARDS)[number];

export const KINDS = ['kyma', 'kyma namespaced', 'raw'] as const;
export type Kind = (typeof KINDS)[number];

export const POLICIES = [
  ['*'],
  ['Observe', 'Create', 'Update'],
  ['Observe', 'Create', 'Delete'],
  ['Observe'],
] as const;

export interface ModelResource {
  readonly id: number;
  readonly kind: Kind;
  readonly target: number;
  isDefault: boolean;
  policies: readonly string[];
  orphan: boolean;
  deleted: boolean;
}

export interface Model {
  /** Deleted ones too. */
  readonly resources: ModelResource[];
  /** By target: how often its cluster ID has changed. */
  readonly variants: number[];
  /** By target: resources for the same mapping must be in one shard. */
  readonly shards: Shard[];
  /** Primary IDs of mappings that nothing has to delete. */
  readonly mayRemain: Set<string>;
  /** By primary ID: resources that have ever described it. */
  readonly claimants: Map<string, Set<number>>;
  /** Primary IDs of mappings that a third party has created. */
  readonly foreign: Set<string>;
  /** Commands so far. */
  commands: number;
}

export const createModel = (): Model => ({
  resources: [],
  variants: Array.from({ length: TARGETS }, () => 0),
  shards: Array.from({ length: TARGETS }, () => 'a' as const),
  mayRemain: new Set(),
  claimants: new Map(),
  foreign: new Set(),
  commands: 0,
});

export const primaryID = (target: number, variant: number): string => `c-${target}-${variant}`;

/** The mapping that a resource describes now. An InstanceMapping contains its IDs and follows no ConfigMap. */
const primaryIDOf = (model: Model, { kind, target }: ModelResource): string =>
  primaryID(target, kind === 'raw' ? 0 : (model.variants[target] ?? 0));

export const alive = ({ resources }: Model): ModelResource[] => resources.filter(({ deleted }) => !deleted);

/** Whether its mapping may stay when it is deleted, or when it moves on to another one. */
const keepsMapping = ({ policies, orphan }: ModelResource): boolean =>
  orphan || !(policies.includes('*') || policies.includes('Delete'));

/** Called after each command. */
export function note(model: Model): void {
  model.commands++;
  for (const resource of model.resources) {
    const id = primaryIDOf(model, resource);
    if (keepsMapping(resource)) model.mayRemain.add(id);
    const claimants = model.claimants.get(id) ?? new Set();
    model.claimants.set(id, claimants.add(resource.id));
  }
}

/** Resources by the mapping that they describe. */
export const byMapping = (model: Model): ReadonlyMap<string, readonly ModelResource[]> =>
  Map.groupBy(alive(model), (resource) => primaryIDOf(model, resource));
