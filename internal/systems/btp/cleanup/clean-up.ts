import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { inParallel } from '../../../framework/base/concurrency/in-parallel.ts';
import type { Deps } from '../../../framework/base/deps.ts';
import { kindOf, messageOf } from '../../../framework/base/errors/errors.ts';
import { singleSpaced } from '../../../framework/base/text/text.ts';
import { sleep } from '../../../framework/base/time/clock.ts';
import { listAll } from '../../../framework/kube/cache/listed-cache.ts';
import type { KubeClient } from '../../../framework/kube/client/client.ts';
import { isNotFound } from '../../../framework/kube/errors/errors.ts';
import { type KubeObject, keyOf, keyString } from '../../../framework/kube/object/object.ts';
import { type ResourceType, secrets } from '../../../framework/kube/object/resource-type.ts';
import { clusterIDName } from '../cluster-id.ts';
import { preventDeletionAnnotation } from '../metadata.ts';
import { releaseSecrets } from './release-secrets.ts';
import { stopOperator } from './stop-operator.ts';
import { usedByMappings } from './used-by-mappings.ts';

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
      objects.push(...(await listAll(client, type, { ...selection, signal: soon() })));
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
