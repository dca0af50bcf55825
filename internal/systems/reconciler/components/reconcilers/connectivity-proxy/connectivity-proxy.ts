import { ProviderError } from '../../../../../framework/base/index.ts';

import {
  customResourceDefinitions,
  type KubeObject,
  type ResourceType,
  type Secret,
  secrets,
} from '../../../../../framework/kube/index.ts';
import type { Action, ActionContext, ComponentActions } from '../../model/actions.ts';
import { renderChart, targetOf } from '../common/component-chart.ts';
import { domainOf } from '../common/domain.ts';
import { itemsAt, textAt } from '../common/fields.ts';
import { allMetadata, allObjects, findObject } from '../common/objects.ts';
import { statefulSets } from '../common/resource-types.ts';
import { setBindingValues, setProxyValues, tunnelHost } from './chart-values.ts';
import { credentialsOf } from './credentials.ts';
import { applyAuthorities, type ReadAuthorities, readAuthorities } from './istio-authority.ts';
import { SERVICE_KEY } from './names.ts';
import { applySecret, deleteOwnObjects, ensureCertificate, ensureMappings } from './own-objects.ts';
import { serviceKeyOf } from './service-key.ts';
import { setTunnelHost, withoutExisting } from './upgrade.ts';

export interface ConnectivityProxyOptions {
  /** Default: over HTTPS, without private addresses. */
  readonly readAuthorities?: ReadAuthorities;
}

/** The chart whose upgrade leaves a wrong host in the configuration. */
const CHART_WITH_WRONG_HOST = 'connectivity-proxy-2.9.2';

/**
 * The Connectivity proxy is installed while there is a binding to the Connectivity service, and removed without one. Nothing is
 * done in a cluster without Istio.
 */
export function connectivityProxy(options: ConnectivityProxyOptions = {}): ComponentActions {
  const read = options.readAuthorities ?? readAuthorities;
  const reconcile: Action = async (context) => {
    setHost(context);
    if (!(await hasIstio(context))) return skip(context, 'the cluster has no Istio');
    const installed = await findProxy(context);
    const binding = await findBinding(context);
    if (binding === undefined) {
      if (installed === undefined) return skip(context, 'there is no binding to the Connectivity service');
      return await remove(context);
    }
    await install(context, { binding, installed, read });
  };
  const removeIfPossible: Action = async (context) => {
    setHost(context);
    if (!(await hasIstio(context))) return skip(context, 'the cluster has no Istio');
    await remove(context);
  };
  return { reconcile, delete: removeIfPossible };
}

interface Installation {
  readonly binding: ConnectivityBinding;
  /** The StatefulSet of the proxy. */
  readonly installed: KubeObject | undefined;
  readonly read: ReadAuthorities;
}

async function install(context: ActionContext, { binding, installed, read }: Installation): Promise<void> {
  const { configuration, deployer, signal } = context;
  const secret = await findBindingSecret(context, binding);
  if (secret === undefined) return skip(context, 'the binding to the Connectivity service has no Secret yet');
  const credentials = credentialsOf(secret, binding.secretRootKey);
  setBindingValues(configuration, secret);
  const ca = await ensureCertificate(context);
  await ensureMappings(context);
  await applySecret(context, SERVICE_KEY, { service_key: serviceKeyOf(credentials) });
  setProxyValues(configuration, credentials, hostOf(context), ca);
  await applyAuthorities(context, credentials, read);

  const rendered = await renderChart(context);
  await deployer.deploy(targetOf(context), await withoutExisting(context, rendered), { signal });
  if (installed === undefined) return;
  const proxy = await findProxy(context);
  if (textAt(proxy, 'metadata', 'labels', 'chart') !== CHART_WITH_WRONG_HOST) return;
  await setTunnelHost(context, tunnelHost(hostOf(context)));
}

const remove: Action = async (context) => {
  await assertNoMappings(context);
  await context.deployer.remove(targetOf(context), await renderChart(context), { signal: context.signal });
  await deleteOwnObjects(context);
};

/** @throws ProviderError while users have service mappings, which would lose their connections */
async function assertNoMappings(context: ActionContext): Promise<void> {
  const name = 'servicemappings.connectivityproxy.sap.com';
  const crd: KubeObject | undefined = await findObject(context, customResourceDefinitions, { name });
  const version = servedVersion(crd);
  if (version === undefined) return;
  const type = {
    group: 'connectivityproxy.sap.com',
    version,
    kind: 'ServiceMapping',
    plural: 'servicemappings',
    namespaced: textAt(crd, 'spec', 'scope') === 'Namespaced',
  };
  for await (const mapping of allMetadata(context, type, { limit: 1 })) {
    throw new ProviderError(
      'transient',
      `the Connectivity proxy is not removed while there are service mappings, such as ${mapping.metadata.name}`,
    );
  }
}

function servedVersion(crd: KubeObject | undefined): string | undefined {
  const served = itemsAt(crd, 'spec', 'versions').find((version) => version.served === true);
  return textAt(served, 'name');
}

const findProxy = (context: ActionContext): Promise<KubeObject | undefined> =>
  findObject(context, statefulSets, { name: context.task.component, namespace: context.task.namespace });

function setHost(context: ActionContext): void {
  context.configuration['global.kubeHost'] = hostOf(context);
}

/** The domain of the cluster. */
const hostOf = ({ cluster }: ActionContext): string => domainOf(cluster.name);

function skip({ log, task, cluster, progress }: ActionContext, why: string): void {
  log.info('a component is skipped', { component: task.component, cluster: cluster.name, reason: why });
  progress(why);
}

type Context = Pick<ActionContext, 'cluster' | 'signal'>;

const OFFERING = 'connectivity';

/** A binding of the BTP operator to an instance of the Connectivity service. */
interface ConnectivityBinding {
  readonly object: KubeObject;
  /** The key of the Secret that has all credentials as one JSON text; undefined: they are keys of their own. */
  readonly secretRootKey: string | undefined;
}

/** The first binding of the first instance that has one; undefined also if the BTP operator is not installed. */
async function findBinding(context: Context): Promise<ConnectivityBinding | undefined> {
  const instances = new Set<string>();
  for await (const instance of allObjects(context, btpType('ServiceInstance'))) {
    if (textAt(instance, 'spec', 'serviceOfferingName') === OFFERING) instances.add(placeOf(instance));
  }
  if (instances.size === 0) return undefined;
  for await (const object of allObjects(context, btpType('ServiceBinding'))) {
    const instance = textAt(object, 'spec', 'serviceInstanceName');
    if (instance === undefined || !instances.has(placeOf(object, instance))) continue;
    const secretRootKey = textAt(object, 'spec', 'secretRootKey');
    return { object, secretRootKey: secretRootKey === '' ? undefined : secretRootKey };
  }
  return undefined;
}

/** The Secret of the binding; undefined while the BTP operator has not created it. */
async function findBindingSecret(
  context: Context,
  { object }: ConnectivityBinding,
): Promise<Secret | undefined> {
  const name = textAt(object, 'spec', 'secretName') ?? object.metadata.name;
  return await findObject(context, secrets, { name, namespace: object.metadata.namespace ?? 'default' });
}

/** Whether Istio has its kinds for gateways. */
async function hasIstio(context: Context): Promise<boolean> {
  const names = ['virtualservices.networking.istio.io', 'gateways.networking.istio.io'];
  const found = await Promise.all(
    names.map((name) => findObject<KubeObject>(context, customResourceDefinitions, { name })),
  );
  return !found.includes(undefined);
}

function btpType(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'services.cloud.sap.com', version: 'v1', kind, plural, namespaced: true };
}

const placeOf = ({ metadata }: KubeObject, name = metadata.name): string => `${metadata.namespace}/${name}`;
