/** Plans: what the provider would do for resources, found by a dry run of the reconciler. */

import {
  cloneJson,
  formatTimestamp,
  messageOf,
  redact,
  systemClock,
  systemRandom,
} from '../../framework/base/index.ts';

import { annotationLastApplied } from '../../framework/kube/apply/applied.ts';
import { createListedCache, listAll } from '../../framework/kube/cache/cache.ts';
import {
  apiVersionOf,
  groupResource,
  isNotFound,
  keyOf,
  keyString,
  type ResourceType,
  wasDeleted,
} from '../../framework/kube/index.ts';
import { type Managed, type ManagedKind, typeSynced } from '../../framework/managed/index.ts';
import { performDryRun } from '../../framework/managed/preview/dry-run/dry-run.ts';
import { dryRunConfigUse } from '../../framework/managed/preview/dry-run/dry-run-config-use.ts';
import {
  createOverlayClient,
  type DryRunWrite,
} from '../../framework/managed/preview/dry-run/overlay-client.ts';
import { type ResourcePlan, resourcePlanOf } from '../../framework/managed/preview/dry-run/resource-plan.ts';
import type { ModuleKind, OpenKind } from '../../framework/module/module.ts';
import type { ReadOnlyConnections } from '../provider/connections/program-connections.ts';
import { changesBetween, type FieldChange } from './field-changes.ts';

/** A resource to plan. */
export interface PlanTarget {
  readonly entry: OpenKind;
  /** The desired object: as stored, or as it would be stored. */
  readonly object: Managed;
  /** The stored object; absent if there is none. */
  readonly live?: Managed;
  /** `mappings.yaml:12`, or `cluster`. */
  readonly source: string;
  readonly notes: readonly string[];
}

/** The plan of one resource. */
export interface PlanEntry
  extends Pick<ResourcePlan, 'action' | 'problem' | 'reason' | 'steps' | 'externalName'> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly source: string;
  /** Changes of the external resource. */
  readonly external: readonly FieldChange[];
  /** Changes of the Kubernetes object, in fields that users set. */
  readonly object: readonly FieldChange[];
  /** Writes of the provider to other objects of the cluster: `delete Secret shop/x`. */
  readonly writes: readonly string[];
  readonly notes: readonly string[];
}

export interface Plan {
  readonly entries: readonly PlanEntry[];
  readonly summary: Readonly<Record<PlanEntry['action'], number>>;
}

export interface PlanOptions {
  readonly connections: ReadOnlyConnections;
  /** All kinds, since their resources may claim the same mappings. */
  readonly kinds: readonly OpenKind[];
  readonly targets: readonly PlanTarget[];
  /** Plan the deletion of the resources. */
  readonly deletion: boolean;
  readonly signal: AbortSignal;
  /** Called before each resource. */
  readonly onProgress?: (done: number, of: number, target: PlanTarget) => void;
}

/** Plans older resources first: of several resources that claim a mapping, the oldest one holds it. */
export async function makePlan(options: PlanOptions): Promise<Plan> {
  const { targets, signal } = options;
  const planned = targets.map((target, index) => ({
    target,
    index,
    object: objectOf(target, options, index),
  }));
  await loadClaims(options, planned);
  const entries: { index: number; entry: PlanEntry }[] = [];
  for (const { target, index, object } of [...planned].sort(byAge)) {
    signal.throwIfAborted();
    options.onProgress?.(entries.length + 1, planned.length, target);
    entries.push({ index, entry: await planOne(options, target, object) });
  }
  return planOf(entries.sort((a, b) => a.index - b.index).map(({ entry }) => entry));
}

export function planOf(entries: readonly PlanEntry[]): Plan {
  const count = (action: PlanEntry['action']) => entries.filter((entry) => entry.action === action).length;
  return {
    entries,
    summary: {
      create: count('create'),
      update: count('update'),
      delete: count('delete'),
      nothing: count('nothing'),
      unknown: count('unknown'),
    },
  };
}

/** The entry of a target that could not be read. */
export function failedEntry(
  { type }: ModuleKind,
  { name, namespace, source }: { name: string; namespace?: string | undefined; source: string },
  error: unknown,
): PlanEntry {
  return {
    ...identityOf(type, { name, namespace }),
    source,
    action: 'unknown',
    problem: 'error',
    reason: redact(messageOf(error)),
    steps: [],
    external: [],
    object: [],
    writes: [],
    notes: [],
  };
}

function identityOf(
  type: ResourceType,
  { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
): Pick<PlanEntry, 'apiVersion' | 'kind' | 'name' | 'namespace'> {
  const scope = namespace === undefined ? {} : { namespace };
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, ...scope };
}

interface Planned {
  readonly target: PlanTarget;
  readonly index: number;
  readonly object: Managed;
}

const byAge = (a: Planned, b: Planned): number => {
  const [left = '', right = ''] = [a.object.metadata.creationTimestamp, b.object.metadata.creationTimestamp];
  return left === right ? a.index - b.index : left < right ? -1 : 1;
};

/** A copy without Synced, so that the condition after the dry run is of the dry run. */
function objectOf({ object: given, live }: PlanTarget, { deletion }: PlanOptions, index: number): Managed {
  const object = cloneJson(given);
  const now = systemClock.now();
  if (object.status?.conditions !== undefined) {
    object.status.conditions = object.status.conditions.filter(({ type }) => type !== typeSynced);
  }
  // Resources are created in the order of the manifests. Timestamps have whole seconds.
  if (live === undefined) object.metadata.creationTimestamp = formatTimestamp(now + index * 1000);
  if (deletion && !wasDeleted(object)) object.metadata.deletionTimestamp = formatTimestamp(now);
  return object;
}

/** Starts the sources of all kinds on the existing and the planned resources, as the running provider does. */
async function loadClaims(
  { connections, kinds, signal }: PlanOptions,
  planned: readonly Planned[],
): Promise<void> {
  const { client, deps } = connections;
  await Promise.all(
    kinds.map(async (entry) => {
      const own = planned.filter(({ target }) => target.entry === entry).map(({ object }) => object);
      const names = new Set(own.map((object) => keyString(keyOf(object))));
      const others = await othersOf(connections, entry, signal);
      const known = [...own, ...others.filter((object) => !names.has(keyString(keyOf(object))))];
      entry.with(client, <R extends Managed>(kind: ManagedKind<R>) => {
        const cache = createListedCache(known as R[]);
        for (const source of kind.sources?.(cache) ?? []) source.start(() => undefined);
      });
    }),
  );
  deps.log.debug('resources are known', { cluster: client.clusterName });
}

/** Without the right to list, the plan has no conflicts with other resources. */
async function othersOf(
  { client, deps: { log } }: ReadOnlyConnections,
  { type }: ModuleKind,
  signal: AbortSignal,
): Promise<Managed[]> {
  try {
    return await listAll<Managed>(client, type, { signal });
  } catch (error) {
    if (!isNotFound(error)) {
      log.info('cannot list resources: the plan does not show conflicts with them', {
        error: messageOf(error),
      });
    }
    return [];
  }
}

async function planOne(
  { connections, signal, deletion }: PlanOptions,
  target: PlanTarget,
  object: Managed,
): Promise<PlanEntry> {
  const { entry, live, source, notes } = target;
  const { type, configs, readsConfig } = entry;
  const client = createOverlayClient(connections.client);
  try {
    const resourcePlan = await entry.with(client, async <R extends Managed>(kind: ManagedKind<R>) => {
      const use = dryRunConfigUse({ client, clock: systemClock, kinds: configs, type, readsConfig });
      const dryRun = await performDryRun({ ...kind, configUse: use }, object as R, {
        client,
        clock: systemClock,
        random: systemRandom,
        log: connections.deps.log,
        signal,
      });
      return resourcePlanOf(object as R, dryRun);
    });
    const { action, problem, reason, steps, externalName, current, desired } = resourcePlan;
    const { name, namespace } = object.metadata;
    return {
      ...identityOf(type, { name, namespace }),
      source,
      action,
      ...(problem === undefined ? {} : { problem }),
      reason: redact(reason),
      steps,
      ...(externalName === undefined || externalName === name ? {} : { externalName }),
      external: externalChanges(action, current, desired),
      object: live === undefined || deletion ? [] : changesBetween(asked(live), asked(target.object)),
      writes: client.writes.filter(isOf(target)).map(describeWrite),
      notes,
    };
  } catch (error) {
    signal.throwIfAborted();
    return failedEntry(entry, { ...object.metadata, source }, error);
  }
}

function externalChanges(
  action: ResourcePlan['action'],
  current: ResourcePlan['current'],
  desired: ResourcePlan['desired'],
): FieldChange[] {
  switch (action) {
    case 'create':
      return changesBetween({}, desired ?? {});
    case 'delete':
      return changesBetween(current ?? {}, {});
    case 'update':
      return current === undefined || desired === undefined ? [] : changesBetween(current, desired);
    case 'nothing':
    case 'unknown':
      return [];
    default:
      return action satisfies never;
  }
}

/** The fields that users set. */
function asked({ metadata, spec }: Managed) {
  const { [annotationLastApplied]: _, ...annotations } = metadata.annotations ?? {};
  return { metadata: { labels: metadata.labels ?? {}, annotations }, spec };
}

/** Writes to other objects. Every reconcile writes the resource itself. */
function isOf({ entry, object }: PlanTarget) {
  const own = `${groupResource(entry.type)} ${keyString(keyOf(object))}`;
  return ({ type, key }: DryRunWrite) => `${groupResource(type)} ${keyString(key)}` !== own;
}

const describeWrite = ({ verb, type, key }: DryRunWrite) => `${verb} ${type.kind} ${keyString(key)}`;
