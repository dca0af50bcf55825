/**
 * KymaCluster: a cluster in the inventory of a mothership. Its runtimeID is the external name.
 *
 * From top to bottom: the kind; the connector, which reads the configuration (access.ts: the credentials; kubeconfig.ts: the kubeconfig);
 * the external client, which observes, registers, changes and deletes. document.ts is what is registered, and how it differs from what
 * the mothership has.
 */
import {
  type KymaCluster,
  kymaClusterTypes,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { withTargets } from '../../../framework/base/errors/errors.ts';
import {
  cutText,
  findCause,
  kindOf,
  messageOf,
  ProviderError,
  type WatchedObject,
} from '../../../framework/base/index.ts';
import { getIfExists, wasDeleted } from '../../../framework/kube/index.ts';
import {
  available,
  type Connector,
  creating,
  deleting,
  type ExternalClient,
  getCondition,
  jitterFraction,
  type Managed,
  type ManagedKind,
  type NewCondition,
  type ReconcileContext,
  setConditions,
  shareOfNamespace,
  typeReady,
  unavailable,
  usedConfigOf,
} from '../../../framework/managed/index.ts';
import {
  assertPermitted,
  isPermitted,
  type Owner,
  type OwnershipRule,
  ownershipOf,
} from '../../../framework/ownership/ownership.ts';
import type { ClusterResponse, ClusterState, MothershipClient } from '../client/mothership-client.ts';
import { type AccessOptions, openMothership } from './access.ts';
import {
  differenceOf,
  digestOf,
  documentOf,
  isBeingDeleted,
  isForeign,
  isInProgress,
  ownerOf,
  recordedOwner,
  runtimeIDOf,
} from './document.ts';
import { type FoundKubeconfig, readKubeconfig } from './kubeconfig.ts';
import { foreignClusterText, statusText, unreadableStateText } from './messages.ts';
import { mothershipConfigKinds } from './provider-configs.ts';

/** Poll interval while the mothership works on the cluster, in ms. */
const IN_PROGRESS_MS = 5000;
const JITTER = 0.1;

export function kymaClusterKind(options: ConnectorOptions): ManagedKind<KymaCluster> {
  const withJitter = jitterFraction(JITTER, options.deps.random);
  return {
    type: kymaClusterTypes[options.scope],
    connector: createConnector(options),
    limitKeysOf: shareOfNamespace,
    connectFailed: (resource, error, { clock }) => {
      // A cluster that was ready stays so while its mothership cannot be called.
      if (getCondition(resource, typeReady)?.status === 'True') return;
      setConditions(resource, clock, unavailable(messageOf(error)));
    },
    pollIntervalHook: (resource, intervalMs) =>
      isInProgress(resource.status?.atProvider?.status) ? IN_PROGRESS_MS : withJitter(resource, intervalMs),
    deterministicExternalName: true,
    observeAfterCreate: true,
    observeAfterDelete: true,
    creationGracePeriodMs: 0,
    // The external name is the id in the inventory, not metadata.name.
    initializers: [],
  };
}

interface ConnectorOptions extends Omit<AccessOptions, 'signal'> {
  readonly scope: 'cluster' | 'namespaced';
}

export function createConnector(options: ConnectorOptions): Connector<KymaCluster> {
  const { client, scope } = options;
  return {
    connect: async (resource, { signal }) => {
      const { type, key } = usedConfigOf(resource, mothershipConfigKinds[scope]);
      const config = await client.get(type, key, { signal });
      const { mothership, credentials } = await openMothership(config, { ...options, signal });
      return watchingCredentials(
        createExternalClient(
          mothership,
          () => readKubeconfig(options, resource, signal),
          (owner) => isOwnerGone(client, owner, signal),
        ),
        credentials,
      );
    },
  };
}

/** An object that was created anew under the same name is another owner. */
export async function isOwnerGone(
  client: ConnectorOptions['client'],
  { namespace, name, uid }: Owner & { readonly uid: string },
  signal: AbortSignal,
): Promise<boolean> {
  const isNamespaced = namespace !== undefined && namespace !== '';
  const type = kymaClusterTypes[isNamespaced ? 'namespaced' : 'cluster'];
  const found = await getIfExists(client, type, isNamespaced ? { namespace, name } : { name }, { signal });
  return found?.metadata.uid !== uid;
}

/** Where credentials are refused, a change of their Secret requests the next attempt. */
function watchingCredentials<R extends Managed>(
  client: ExternalClient<R>,
  credentials: readonly WatchedObject[],
): ExternalClient<R> {
  const watched = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw kindOf(error) === 'auth' ? withTargets(error, credentials) : error;
    });
  return {
    ...client,
    observe: (resource, context) => watched(client.observe(resource, context)),
    create: (resource, context) => watched(client.create(resource, context)),
    update: (resource, context) => watched(client.update(resource, context)),
    delete: (resource, context) => watched(client.delete(resource, context)),
  };
}

type Failures = readonly { readonly component: string; readonly reason: string }[];

/** How soon a deletion is looked at again, in ms. */
const DELETION_MS = 5000;
/** Failures in the status, and characters of each reason: objects have at most 1.5 MiB. */
const MAX_FAILURES = 50;
const MAX_REASON = 1024;

/**
 * Clusters without a record are those of clients of the REST API, which administrators import, or were registered by an earlier
 * version; the name has shown already that they are of this namespace.
 */
const RULE: OwnershipRule = {
  unrecorded: ['adopt', 'update', 'delete'],
  abandoned: ['adopt', 'update', 'delete'],
};

/**
 * @param readKubeconfig not called for a resource that is deleted: its Secret may be gone
 * @param isOwnerGone whether the KymaCluster that is recorded as the owner of the cluster does not exist any more
 */
export function createExternalClient(
  mothership: MothershipClient,
  readKubeconfig: () => Promise<FoundKubeconfig | undefined>,
  isOwnerGone: (owner: Owner & { readonly uid: string }) => Promise<boolean>,
): ExternalClient<KymaCluster> {
  const put = async (resource: KymaCluster, { signal, assertMayWrite }: ReconcileContext) => {
    const kubeconfig = await readKubeconfig();
    const document = documentOf(resource, kubeconfig?.text);
    // Without an answer it is not known which one the mothership has.
    const { kubeconfigDigest: _, ...atProvider } = resource.status?.atProvider ?? {};
    resource.status = { ...resource.status, atProvider };
    const answer = await mothership.putCluster(document, { signal, fence: assertMayWrite });
    resource.status = {
      ...resource.status,
      atProvider: {
        ...atProvider,
        // With it the next poll comes soon.
        status: answer.status,
        ...(kubeconfig === undefined ? {} : { kubeconfigDigest: digestOf(kubeconfig.text) }),
      },
    };
    return { externalName: document.runtimeID, connectionDetails: { statusURL: answer.statusURL } };
  };

  return {
    observe: async (resource, { signal, clock }) => {
      const externalName = runtimeIDOf(resource);
      const found = await findCluster(mothership, externalName, signal);
      if (found === undefined) return { state: 'absent', externalName };
      const { state, answer } = found;
      if (isForeign(resource, state)) {
        // It was never this resource's: nothing is left to delete.
        if (wasDeleted(resource)) return { state: 'absent', externalName };
        throw new ProviderError('terminal', foreignClusterText(externalName));
      }
      const ownership = await ownershipOf({
        own: ownerOf(resource),
        recorded: recordedOwner(state),
        isGone: isOwnerGone,
      });
      if (wasDeleted(resource) && !isPermitted(ownership, 'adopt', RULE))
        return { state: 'absent', externalName };
      assertPermitted(ownership, 'adopt', RULE, {
        resource: `cluster ${externalName}`,
        own: ownerOf(resource),
        remedy: 'choose another spec.forProvider.runtimeID, or delete one of them',
      });
      const { status } = state.status;
      const wasReady = resource.status?.atProvider?.readyConfigurationVersion === state.configuration.version;
      noteState(resource, state, answer);
      setConditions(resource, clock, readyOf(status, answer.failures, wasReady));
      if (isBeingDeleted(status)) {
        return { state: 'pending', operation: 'deletion of the cluster', checkAfterMs: DELETION_MS };
      }
      const present = {
        state: 'present',
        externalName,
        connectionDetails: { statusURL: answer.statusURL },
      } as const;
      if (wasDeleted(resource)) return { ...present, upToDate: true };
      const kubeconfig = await readKubeconfig();
      const diff =
        differenceOf(documentOf(resource, kubeconfig?.text), state) ??
        // The recorded object is gone, e.g. since it was restored from a backup.
        (ownership.state === 'abandoned' ? 'owner' : undefined) ??
        kubeconfigDifference(resource, kubeconfig?.text);
      const watched = { ...present, targets: kubeconfig === undefined ? [] : [kubeconfig.target] };
      return diff === undefined
        ? { ...watched, upToDate: true }
        : { ...watched, upToDate: false, diff: `differs in ${diff}` };
    },
    create: put,
    update: put,
    delete: async (resource, { signal, assertMayWrite }) => {
      await orAbsent(mothership.deleteCluster(runtimeIDOf(resource), { signal, fence: assertMayWrite }));
      return {};
    },
    disconnect: () => mothership.close(),
  };
}

/** The mothership never shows kubeconfigs, so that the digest of the registered one is compared. */
function kubeconfigDifference({ status }: KymaCluster, kubeconfig: string | undefined): string | undefined {
  const wanted = kubeconfig === undefined ? undefined : digestOf(kubeconfig);
  return status?.atProvider?.kubeconfigDigest === wanted ? undefined : 'kubeconfig';
}

function noteState(
  resource: KymaCluster,
  { cluster, configuration, status }: ClusterState,
  { failures, statusURL }: { readonly failures: Failures; readonly statusURL: string },
): void {
  const { kubeconfigDigest, readyConfigurationVersion: before } = resource.status?.atProvider ?? {};
  const readyVersion = status.status === 'ready' ? configuration.version : before;
  resource.status = {
    ...resource.status,
    atProvider: {
      status: status.status,
      statusURL,
      clusterVersion: cluster.version,
      configurationVersion: configuration.version,
      kymaVersion: configuration.kymaVersion,
      ...(readyVersion === undefined ? {} : { readyConfigurationVersion: readyVersion }),
      ...(kubeconfigDigest === undefined ? {} : { kubeconfigDigest }),
      failures: failures
        .slice(0, MAX_FAILURES)
        .map(({ component, reason }) => ({ component, reason: cutText(reason, MAX_REASON) })),
    },
  };
}

/** @param wasReady with its current configuration: a periodic run over the cluster changes nothing then */
function readyOf(status: string, failures: Failures, wasReady: boolean): NewCondition {
  const reasons = failures.map(({ component, reason }) => `${component}: ${reason}`).join('; ');
  const message = cutText(statusText(status, reasons));
  if (status === 'ready') return available();
  if (isBeingDeleted(status)) return deleting(message);
  const isRunning = status === 'reconcile_pending' || status === 'reconciling';
  if (isRunning && wasReady && failures.length === 0) return available();
  return isRunning ? creating(message) : unavailable(message);
}

interface FoundCluster {
  readonly state: ClusterState;
  /** With the failures of its run. */
  readonly answer: ClusterResponse;
}

/**
 * Undefined: the mothership does not know the cluster. Only its status proves that: the state is also not found when it cannot be
 * read.
 */
export async function findCluster(
  mothership: MothershipClient,
  runtimeID: string,
  signal: AbortSignal,
): Promise<FoundCluster | undefined> {
  const answer = await orAbsent(mothership.clusterStatus(runtimeID, signal));
  if (answer === undefined) return undefined;
  const state = await orAbsent(mothership.clusterState(runtimeID, signal));
  if (state !== undefined) return { state, answer };
  // It may have been deleted in between.
  if ((await orAbsent(mothership.clusterStatus(runtimeID, signal))) === undefined) return undefined;
  throw new ProviderError('transient', unreadableStateText(runtimeID));
}

/** Nothing, for what the mothership does not know. */
async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (findCause(error, ProviderError)?.kind === 'not-found') return undefined;
    throw error;
  }
}
