import type { Command } from 'commander';
import { kymaInstanceMappingTypes } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { type Deps, inParallel, kindOf, messageOf, sleep } from '../../../framework/base/index.ts';
import { singleSpaced } from '../../../framework/base/text/text.ts';
import { listAll, listAllMetadata } from '../../../framework/kube/cache/cache.ts';
import {
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  type ResourceType,
  type Selection,
  secrets,
} from '../../../framework/kube/index.ts';
import { reporting } from '../../../framework/module/console/reporting-command.ts';
import type { CommandContext } from '../../../framework/module/module.ts';
import { clusterIDName } from '../cluster-id.ts';
import { certificateName, credentialsName } from '../credentials/secret-names.ts';
import { preventDeletionAnnotation } from '../metadata.ts';
import { operatorLeaseName } from '../operator-lease/operator-lease.ts';
import { reconciledNamespaces, USUAL_NAMESPACE } from '../settings/btp-settings.ts';
import { removeWatchers, watchers, watchLabel } from '../watched-secrets/watch-marks.ts';
import { changeMarks } from '../watched-secrets/watched-secrets.ts';
import { type CleanupFlags, cleanupExitCodes } from './cleanup-flags.ts';
import { stopOperator } from './stop-operator.ts';

/** Objects that are named at the end. */
const MAX_LINES = 20;

/** Prints steps and what is left on stderr. Returns the exit code. */
export function runCleanup(
  flags: CleanupFlags,
  command: Command,
  { host, openForWrites }: CommandContext,
): Promise<number> {
  return reporting({ name: 'btp cleanup', host, failed: cleanupExitCodes.left }, async ({ info }) => {
    await using connections = await openForWrites(command);
    const { client, deps } = connections;
    const { namespace, timeout: timeoutMs, deleteUsed } = flags;
    const releaseNamespace = flags.releaseNamespace || host.env.POD_NAMESPACE || USUAL_NAMESPACE;
    const namespaces =
      namespace === undefined ? reconciledNamespaces({ ...flags, releaseNamespace }) : [namespace];
    const left = await cleanUp({
      client,
      clock: deps.clock,
      timeoutMs,
      deleteUsed,
      report: info,
      ...(namespaces === undefined ? {} : { namespaces }),
      ...(namespace === undefined
        ? { releaseNamespace, managementNamespace: flags.managementNamespace || releaseNamespace }
        : {}),
      ...(flags.stopDeployment === ''
        ? {}
        : { operator: { deployment: flags.stopDeployment, leases: leasesOf(host.env) } }),
    });
    for (const line of left.slice(0, MAX_LINES)) info(line);
    if (left.length > MAX_LINES) info(`and ${left.length - MAX_LINES} more`);
    info(left.length === 0 ? 'nothing is left' : `${left.length} left: correct the causes and repeat`);
    return left.length === 0 ? cleanupExitCodes.clean : cleanupExitCodes.left;
  });
}

/** Those of the module, and of leader election by the name that the chart gives the provider. */
const leasesOf = ({ PROVIDER_NAME }: CommandContext['host']['env']): readonly string[] => [
  `crossplane-leader-election-${PROVIDER_NAME || USUAL_NAMESPACE}`,
  operatorLeaseName,
];

export interface CleanUpOptions extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
  /** Default: all namespaces. */
  readonly namespaces?: readonly string[];
  /** Secrets with credentials of this namespace are released too; default: they are kept. */
  readonly managementNamespace?: string;
  /** Deletes the record of the cluster ID in this namespace at the end; default: it is kept. */
  readonly releaseNamespace?: string;
  /** Deletes objects that KymaInstanceMappings use, too; default: nothing is deleted while there are some. */
  readonly deleteUsed?: boolean;
  /** Deployment of the operator in `releaseNamespace`, which is stopped at the end, and its Leases; default: it goes on. */
  readonly operator?: { readonly deployment: string; readonly leases: readonly string[] };
  /** Time for everything, in ms. */
  readonly timeoutMs: number;
  /** Called with each step. */
  readonly report: (line: string) => void;
}

/** ServiceManager refuses to delete an instance that has bindings. */
const order = [serviceBindings, serviceInstances] as const;

const POLL_MS = 2000;
/** Time for one request, in ms. */
const REQUEST_MS = 30_000;
const CONCURRENT = 10;

/**
 * Deletes all ServiceBindings, then all ServiceInstances, and waits until the operator has removed them. Then releases the Secrets
 * with their credentials.
 *
 * @returns what is left, one line each; empty: everything is gone
 */
export async function cleanUp(options: CleanUpOptions): Promise<readonly string[]> {
  const { clock, timeoutMs, report } = options;
  const deadline = clock.monotonic() + timeoutMs;
  // Before the first deletion: applications would lose the bindings of an instance that stays.
  const refused = await refusals(options);
  if (refused.length > 0) {
    report('nothing was deleted');
    return refused;
  }
  for (const type of order) {
    const left = await deleteAll(options, type, deadline);
    if (left.length > 0) return left;
  }
  const { client, namespaces, managementNamespace, releaseNamespace: namespace, operator } = options;
  await releaseSecrets({ client, namespaces, managementNamespace, signal: soon });
  if (namespace !== undefined) {
    await deleteClusterID(client, namespace);
    if (operator !== undefined) {
      const deployment = { namespace, name: operator.deployment };
      await stopOperator({ client, clock, report, deployment, leases: operator.leases, signal: soon });
    }
  }
  return [];
}

async function deleteClusterID(client: KubeClient, namespace: string): Promise<void> {
  const key = { namespace, name: clusterIDName };
  try {
    const { uid = '', resourceVersion = '' } = (await client.getMetadata(secrets, key, { signal: soon() }))
      .metadata;
    await client.delete(secrets, key, { signal: soon(), preconditions: { uid, resourceVersion } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const USED_HINT = 'delete the mapping first, or use --delete-used (with Helm: manager.deleteUsed)';

/** Why nothing may be deleted, one line for each object. */
async function refusals(options: CleanUpOptions): Promise<readonly string[]> {
  const { client, namespaces, report, deleteUsed = false } = options;
  const instances = await listed(options, serviceInstances);
  const kept = instances
    .filter(isProtected)
    .map((each) => `${named(each)} is annotated with ${preventDeletionAnnotation}`);
  if (deleteUsed) return kept;
  const objects = [...instances, ...(await listed(options, serviceBindings))];
  const used = await usedByMappings(objects, { client, namespaces, report, signal: soon });
  return [...kept, ...used.map((line) => `${line}: ${USED_HINT}`)];
}

interface Reported extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

/** Returns what is left when the time is up, or when nothing is being deleted any more. */
async function deleteAll(options: CleanUpOptions, type: ResourceType<Reported>, deadline: number) {
  const { clock, report } = options;
  for (let last = -1; ; ) {
    const objects = await listed(options, type);
    if (objects.length === 0) {
      report(`no ${type.kind} is left`);
      return [];
    }
    if (objects.length !== last) report(`${objects.length} ${type.kind}s to delete`);
    last = objects.length;
    const errors = await requestDeletion(options, type, objects);
    const refused = [...errors.values()].filter((error) => !mayPass(error));
    if (refused.length === objects.length || clock.monotonic() >= deadline) {
      return objects.map((object) => {
        const error = errors.get(object);
        return `${named(object)}: ${error === undefined ? progressOf(object) : messageOf(error)}`;
      });
    }
    await sleep(clock, POLL_MS);
  }
}

/** Returns the errors by object. */
async function requestDeletion(
  { client }: CleanUpOptions,
  type: ResourceType,
  objects: readonly Reported[],
): Promise<Map<Reported, unknown>> {
  const errors = new Map<Reported, unknown>();
  const waiting = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await inParallel(waiting, CONCURRENT, async (object) => {
    try {
      // One that was created anew since the list is in the next list.
      const { uid = '' } = object.metadata;
      await client.delete(type, keyOf(object), { signal: soon(), preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) errors.set(object, error);
    }
  });
  return errors;
}

/** Errors that can pass, e.g. while no replica serves the webhooks. */
const mayPass = (error: unknown) => ['transient', 'throttled', 'conflict'].includes(kindOf(error));

async function listed({ client, namespaces }: CleanUpOptions, type: ResourceType<Reported>) {
  const selections = namespaces?.map((namespace) => ({ namespace })) ?? [{}];
  const objects: Reported[] = [];
  for (const selection of selections) {
    try {
      const found = await listAll(client, type, { ...selection, signal: soon() });
      for (const object of found) objects.push(object);
    } catch (error) {
      // The kind is not installed.
      if (!isNotFound(error)) throw error;
    }
  }
  return objects.map((object): Reported => ({ ...object, kind: type.kind }));
}

const soon = () => AbortSignal.timeout(REQUEST_MS);
const named = (object: KubeObject) => `${object.kind} ${keyString(keyOf(object))}`;
const isProtected = ({ metadata }: KubeObject) =>
  metadata.annotations?.[preventDeletionAnnotation]?.toLowerCase() === 'true';

function progressOf({ status }: Reported): string {
  const message = status?.conditions?.find(({ type }) => type === 'Succeeded')?.message ?? '';
  return message === '' ? 'the operator has not removed it' : singleSpaced(message, 300);
}

interface ReleaseSecretsOptions {
  readonly client: KubeClient;
  /** Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  /** Default: the Secrets of the management namespace are not released. */
  readonly managementNamespace?: string | undefined;
  /** A signal for one request. */
  readonly signal: () => AbortSignal;
}

/**
 * Removes marks from Secrets with credentials when no instance and no binding is left: the operator may be stopped before it
 * does, and a Secret with its finalizer would block the deletion of its namespace. Secrets are selected by name, so that the
 * right to list can be limited to these names.
 */
async function releaseSecrets(options: ReleaseSecretsOptions): Promise<void> {
  const { client, namespaces, managementNamespace, signal } = options;
  const places = namespaces?.map((namespace) => ({ namespace })) ?? [{}];
  const selections: Selection[] = places.flatMap((place) =>
    [credentialsName, certificateName].map((name) => ({ ...place, fieldSelector: `metadata.name=${name}` })),
  );
  if (managementNamespace !== undefined)
    selections.push({ namespace: managementNamespace, labelSelector: `${watchLabel}=true` });
  for (const selection of selections) {
    const found = await listAllMetadata(client, secrets, { ...selection, signal: signal() });
    for (const secret of found) {
      if (watchers(secret).length === 0) continue;
      await changeMarks(client, secret, (current) => removeWatchers(current, watchers(current)), signal());
    }
  }
}

interface UsedByMappingsOptions {
  readonly client: KubeClient;
  /** Of namespaced mappings, and of the objects. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** A signal for one request. */
  readonly signal: () => AbortSignal;
  /** Called if mappings cannot be listed. */
  readonly report: (line: string) => void;
}

/**
 * KymaInstanceMappings that read one of the objects, one line each. Without them a mapping cannot be deleted in HANA Cloud, and its
 * workloads lose the database.
 *
 * @param objects ServiceInstances and ServiceBindings
 */
async function usedByMappings(
  objects: readonly KubeObject[],
  { client, namespaces, signal, report }: UsedByMappingsOptions,
): Promise<readonly string[]> {
  const { cluster, namespaced } = kymaInstanceMappingTypes;
  const places = [
    { type: cluster, selection: {} },
    ...(namespaces?.map((namespace) => ({ type: namespaced, selection: { namespace } })) ?? [
      { type: namespaced, selection: {} },
    ]),
  ];
  const known = new Set(objects.map((object) => `${object.kind} ${keyString(keyOf(object))}`));
  const lines: string[] = [];
  for (const { type, selection } of places) {
    try {
      for (const mapping of await listAll(client, type, { ...selection, signal: signal() })) {
        const { metadata, spec } = mapping;
        // Those are on another cluster.
        if (spec.forProvider.kymaConnectionRef !== undefined) continue;
        const { serviceInstanceRef, adminBindingRef } = spec.forProvider;
        const { namespace: home = '' }: KubeObject['metadata'] = metadata;
        const used = [
          `ServiceInstance ${keyString({ namespace: home, ...serviceInstanceRef })}`,
          `ServiceBinding ${keyString({ namespace: home, ...adminBindingRef })}`,
        ].filter((name) => known.has(name));
        if (used.length > 0)
          lines.push(`KymaInstanceMapping ${keyString(keyOf(mapping))} uses ${used.join(' and ')}`);
      }
    } catch (error) {
      if (isNotFound(error)) continue;
      if (!isForbidden(error)) throw error;
      report(`not checked whether mappings use the objects: ${messageOf(error)}`);
    }
  }
  return lines;
}
