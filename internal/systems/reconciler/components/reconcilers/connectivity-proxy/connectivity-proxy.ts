import { compoundKey, isObject, ProviderError, textAt } from '../../../../../framework/base/index.ts';
import { openConnections } from '../../../../../framework/http/transport/connections.ts';
import {
  customResourceDefinitions,
  type KubeObject,
  type ResourceType,
  type Secret,
  secrets,
} from '../../../../../framework/kube/index.ts';
import { collect, createSourceHttp } from '../../charts/sources/source-http.ts';
import type { Action, ActionContext, ComponentActions } from '../../model/component.ts';
import { allMetadata, allObjects, collectValues } from '../../objects/listed-objects.ts';
import {
  domainOf,
  findObject,
  itemsAt,
  renderChart,
  secretText,
  statefulSets,
  targetOf,
} from '../objects.ts';
import { type Credentials, credentialsOf, credentialText, parsed } from './credentials.ts';
import {
  applySecret,
  deleteOwnObjects,
  ensureCertificate,
  ensureMappings,
  MAPPINGS,
  SERVICE_KEY,
  TLS,
} from './own-objects.ts';
import { setTunnelHost, withoutExisting } from './upgrade.ts';

interface ConnectivityProxyOptions {
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
  const placesOf = (instance: KubeObject) =>
    textAt(instance, 'spec', 'serviceOfferingName') === OFFERING ? [placeOf(instance)] : [];
  const found = allObjects(context, btpType('ServiceInstance'));
  const instances = new Set(await collectValues(found, placesOf, context.cluster));
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

const placeOf = ({ metadata }: KubeObject, name = metadata.name): string =>
  compoundKey(metadata.namespace ?? '', name);

/** The fields of a service key, in the order in which the proxy has had them. */
const textFields = [
  'credential-type',
  'instance_guid',
  'instance_name',
  'label',
  'plan',
  'subaccount_id',
  'subaccount_subdomain',
] as const;
const tokenFields = [
  'token_service_domain',
  'token_service_url',
  'token_service_url_pattern',
  'token_service_url_pattern_tenant_key',
  'type',
  'xsappname',
] as const;
const serviceFields = ['CAs_path', 'CAs_signing_path', 'api_path', 'tunnel_path', 'url'] as const;

/** The JSON text that the proxy reads its credentials from. Fields that are missing are empty. */
export function serviceKeyOf(credentials: Credentials): string {
  const service = credentials.connectivity_service;
  const tags = credentials.tags;
  return JSON.stringify({
    ...texts(credentials, ['clientid', 'clientsecret']),
    connectivity_service: texts(isObject(service) ? service : {}, serviceFields),
    ...texts(credentials, textFields),
    tags: Array.isArray(tags) ? tags : [],
    ...texts(credentials, tokenFields),
  });
}

function texts(from: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => {
      const value = Object.hasOwn(from, field) ? from[field] : undefined;
      return [field, typeof value === 'string' ? value : ''];
    }),
  );
}

type Configuration = ActionContext['configuration'];

const BINDING = 'global.binding.';
/** JSON texts within JSON texts. */
const MAX_DEPTH = 4;

/** Each key of the Secret below `global.binding`; JSON objects in it are replaced by their own keys. */
export function setBindingValues(configuration: Configuration, secret: Secret): void {
  for (const key of Object.keys(secret.data ?? {}).sort()) {
    setFlat(configuration, key, secretText(secret, key) ?? '', 0);
  }
}

function setFlat(configuration: Configuration, key: string, text: string, depth: number): void {
  const value = depth < MAX_DEPTH ? parsed(text) : undefined;
  if (!isObject(value)) {
    configuration[BINDING + key] = text;
    return;
  }
  for (const [inner, item] of Object.entries(value)) {
    if (typeof item === 'string') setFlat(configuration, inner, item, depth + 1);
    else configuration[BINDING + inner] = item;
  }
}

/** @param ca of the certificate of the mapping operator */
function setProxyValues(
  configuration: Configuration,
  credentials: Credentials,
  host: string,
  ca: string,
): void {
  Object.assign(configuration, {
    'config.subaccountId': credentialText(credentials, 'subaccount_id'),
    'config.subaccountSubdomain': credentialText(credentials, 'subaccount_subdomain'),
    'config.servers.businessDataTunnel.externalHost': tunnelHost(host),
    'config.servers.businessDataTunnel.externalPort': '443',
    'secretConfig.integration.connectivityService.secretName': SERVICE_KEY.name,
    'config.serviceMappings.configMapName': MAPPINGS.name,
    'config.serviceMappings.tlsSecret': TLS.name,
    'deployment.serviceMapping.caBundle': Buffer.from(ca).toString('base64'),
  });
}

/** @param host the domain of the cluster */
const tunnelHost = (host: string): string => `cp.${host}`;

type AuthorityContext = Pick<ActionContext, 'cluster' | 'signal' | 'clock' | 'random' | 'configuration'>;

/** Reads the certificates of authorities at a URL that a binding names. */
type ReadAuthorities = (
  url: URL,
  context: Pick<AuthorityContext, 'clock' | 'random' | 'signal'>,
) => Promise<string>;

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** The binding belongs to a customer, so private addresses are refused. */
const readAuthorities: ReadAuthorities = async (url, { clock, random, signal }) => {
  const connections = openConnections({
    allowPrivateEndpoints: false,
    trustedCertificates: [],
    env: process.env,
    perOrigin: 1,
    connectTimeoutMs: TIMEOUT_MS,
    keepAliveMs: 1000,
  });
  try {
    const http = createSourceHttp({ clock, random, connections, allowPrivateEndpoints: false });
    const { body } = await http.send({ url, maxBytes: MAX_BYTES, tenant: '' }, signal);
    return (await collect(body)).toString('utf8');
  } finally {
    await connections.close();
  }
};

/** The Secret with the authorities of the Connectivity service, by which the gateway checks cloud connectors. */
async function applyAuthorities(
  context: AuthorityContext,
  credentials: Credentials,
  read: ReadAuthorities,
): Promise<void> {
  const base = credentialText(credentials, 'connectivity_service', 'url');
  const path = credentialText(credentials, 'connectivity_service', 'CAs_path');
  const url = URL.parse(`${base}${path}`);
  if (url === null) throw new ProviderError('terminal', 'the URL of the Connectivity service is invalid');
  const authorities = await read(url, context);
  if (authorities.trim() === '') {
    throw new ProviderError('transient', `${url.host} gave no certificates of authorities`);
  }
  const { configuration } = context;
  const name = configuration['istio.secret.name'];
  if (typeof name !== 'string' || name === '') {
    throw new ProviderError('terminal', 'the configuration of the component has no istio.secret.name');
  }
  const namespace = textOr(configuration['istio.secret.namespace'], 'istio-system');
  const key = textOr(configuration['istio.secret.key'], 'cacert');
  await applySecret(context, { name, namespace }, { [key]: authorities });
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;
