import { createHash } from 'node:crypto';
import { messageOf, ProviderError } from '../../../../framework/base/index.ts';
import { createSecureRandom } from '../../../../framework/base/random.ts';
import { secrets } from '../../../../framework/kube/index.ts';
import { isNamespaceName } from '../../../../framework/kube/object/object.ts';
import type { Values } from '../charts/rendering/values.ts';
import { type OpenControlPlane, openControlPlane } from '../clusters/open-managed-cluster.ts';
import type {
  Action,
  ActionContext,
  ComponentActions,
  DeployTarget,
  ManagedCluster,
  Manifest,
  ManifestObject,
} from '../model/component.ts';
import { isOfNamespace, tenantOf } from '../model/task.ts';
import { allMetadata } from '../objects/listed-objects.ts';
import { randomValuesOf } from '../objects/random-values.ts';
import { deleteObject, deployments, domainOf, findObject, KYMA_SYSTEM, secretText } from './objects.ts';

export interface RmaOptions {
  /** Default: the cluster that this program runs in. */
  readonly openControlPlane?: OpenControlPlane;
}

/** What an earlier version had in the managed cluster. */
const OLD_AGENT = { name: 'avs-bridge', namespace: KYMA_SYSTEM };

/**
 * Runtime monitoring: each managed cluster has a release of the integration chart on the control plane, by the name of its
 * shoot, and the component's chart gets the credentials of that release.
 */
export function rma(options: RmaOptions = {}): ComponentActions {
  const open = options.openControlPlane ?? openControlPlane;
  const onControlPlane = async (context: ActionContext, act: (plane: ManagedCluster) => Promise<void>) => {
    const plane = await open(context);
    try {
      await act(plane);
    } finally {
      await plane.close();
    }
  };

  const preReconcile: Action = async (context) => {
    if (isOfNamespace(context.task)) throw new ProviderError('terminal', FOR_OPERATORS);
    const configuration = rmaConfiguration(context);
    await deleteOldAgent(context);
    await onControlPlane(context, async (plane) => {
      const { signal, progress, deployer } = context;
      const release = releaseOf(context);
      const password = await passwordOf({ cluster: plane, signal }, release, configuration.namespace);
      progress(`deploying release ${release} to the control plane`);
      const manifest = await renderedFor(context, plane, configuration, password);
      await deployer.deploy(targetOf(plane, release), manifest, { signal });
      context.configuration['vmuser.username'] = context.task.metadata.instanceID;
      context.configuration['vmuser.password'] = password;
    });
  };

  const postDelete: Action = async (context) => {
    // It has no release, whatever Shoot it names.
    if (isOfNamespace(context.task)) return;
    const configuration = rmaConfiguration(context);
    await onControlPlane(context, async (plane) => {
      const { signal, progress, deployer } = context;
      const release = releaseOf(context);
      progress(`removing release ${release} from the control plane`);
      const manifest = await renderedFor(context, plane, configuration, '');
      await deployer.remove(targetOf(plane, release), manifest, { signal });
      await deleteHelmRecords({ ...context, cluster: plane }, release, configuration.namespace);
    });
  };
  return { preReconcile, postDelete };
}

/** Also for clusters that were registered before the mothership refused it. */
const FOR_OPERATORS =
  'component rma acts on the control plane, and the cluster is of a namespace: let an operator register it';

/** @throws ProviderError of kind `terminal` if the cluster has no shoot, or what it names is none */
function releaseOf({ task: { metadata } }: ActionContext): string {
  const { shootName } = metadata;
  // It is a part of names of objects, and of a selector.
  if (isNamespaceName(shootName)) return shootName;
  const why = shootName === '' ? 'the cluster has no name of a shoot' : 'its shootName is no name of a shoot';
  throw new ProviderError('terminal', why);
}

async function deleteOldAgent(context: ActionContext): Promise<void> {
  try {
    await deleteObject(context, deployments, OLD_AGENT);
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.info('cannot delete an old agent', { object: OLD_AGENT.name, error: messageOf(error) });
  }
}

async function renderedFor(
  context: ActionContext,
  plane: ManagedCluster,
  { chartUrl, namespace, groups }: RmaConfiguration,
  password: string,
): Promise<Manifest> {
  const { charts, task, signal, log } = context;
  const release = releaseOf(context);
  const { component } = targetOf(plane, release);
  const manifest = await charts.render(
    {
      component: release,
      namespace,
      version: task.version,
      url: chartUrl,
      profile: '',
      configuration: integrationValues(context, password, groups),
    },
    {
      signal,
      tenant: tenantOf(task),
      capabilities: await plane.capabilities({ signal }),
      random: randomValuesOf({ cluster: plane, component, log, signal }),
    },
  );
  return await inNamespace(manifest, namespace, { cluster: plane, signal });
}

/** Without a namespace: that of the control plane is not the component's. */
const targetOf = (cluster: ManagedCluster, release: string): DeployTarget => ({
  cluster,
  component: `rmi-${release}`,
  namespace: '',
  version: '',
});

/** Secrets in which Helm kept the releases that the Go program installed. */
async function deleteHelmRecords(
  context: Pick<ActionContext, 'cluster' | 'signal' | 'task'>,
  release: string,
  namespace: string,
): Promise<void> {
  const labelSelector = `owner=helm,name=${release}`;
  for await (const { metadata } of allMetadata(context, secrets, { namespace, labelSelector })) {
    await deleteObject(context, secrets, { name: metadata.name, namespace });
  }
}

/** The objects of the manifest, those of namespaced kinds with the namespace if they have none. */
async function inNamespace(
  manifest: Manifest,
  namespace: string,
  { cluster, signal }: Pick<ActionContext, 'cluster' | 'signal'>,
): Promise<Manifest> {
  const placed: ManifestObject[] = [];
  for (const { object, source } of manifest) {
    const { apiVersion, kind, metadata } = object;
    const isPlaced = metadata.namespace !== undefined && metadata.namespace !== '';
    const type = isPlaced ? undefined : await cluster.kinds.find(apiVersion, kind, { signal });
    const own = type?.namespaced ? { ...object, metadata: { ...metadata, namespace } } : object;
    placed.push({ object: own, source });
  }
  return placed;
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 16;

/** The password of the release, from the Secret of its chart; a new one if there is none. */
async function passwordOf(
  context: Pick<ActionContext, 'cluster' | 'signal'>,
  release: string,
  namespace: string,
): Promise<string> {
  const secret = await findObject(context, secrets, { name: `vmuser-rmi-${release}`, namespace });
  const known = secret === undefined ? undefined : secretText(secret, 'password');
  return known === undefined || known === '' ? newPassword() : known;
}

function newPassword(): string {
  const random = createSecureRandom();
  return Array.from({ length: LENGTH }, () => LETTERS.charAt(Math.floor(random() * LETTERS.length))).join('');
}

/** Where the chart of the monitoring integration is, and where it goes. */
interface RmaConfiguration {
  readonly chartUrl: string;
  /** Of the control plane. */
  readonly namespace: string;
  /** Groups of alerts, over which clusters are spread. */
  readonly groups: number;
}

/** @throws ProviderError of kind `terminal` for a value that is missing */
function rmaConfiguration({ configuration }: Pick<ActionContext, 'configuration'>): RmaConfiguration {
  return {
    chartUrl: required(configuration, 'rmi.chartUrl'),
    namespace: required(configuration, 'rmi.namespace'),
    groups: groupsOf(configuration['rmi.vmalertGroupsNum']),
  };
}

function required(configuration: Values, key: string): string {
  const value = configuration[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new ProviderError('terminal', `the configuration of the component has no ${key}`);
}

/** Default 1. */
function groupsOf(value: unknown): number {
  const groups = typeof value === 'string' || typeof value === 'number' ? Number(value) : 1;
  return Number.isSafeInteger(groups) && groups > 0 ? groups : 1;
}

/** The values of the chart for one cluster. */
function integrationValues(
  { task: { metadata }, cluster }: Pick<ActionContext, 'task' | 'cluster'>,
  password: string,
  groups: number,
): Values {
  return {
    runtime: {
      instanceID: metadata.instanceID,
      globalAccountID: metadata.globalAccountID,
      subaccountID: metadata.subAccountID,
      shootName: metadata.shootName,
      planName: metadata.servicePlanName,
      region: metadata.region,
      dnsDomain: domainOf(cluster.name),
    },
    auth: { username: metadata.instanceID, password },
    vmalert: { group: groupOf(metadata.instanceID, groups) },
  };
}

/** The same for each rendering, since another group would move the alerts of the cluster. */
function groupOf(instanceId: string, groups: number): number {
  return createHash('sha256').update(instanceId).digest().readUInt32BE(0) % groups;
}
