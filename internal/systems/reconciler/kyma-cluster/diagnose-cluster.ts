/** `doctor kymacluster/NAME`: from the KymaCluster over its configuration to the mothership and its components. */
import {
  type KymaCluster,
  kymaClusterTypes,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { kindOf, messageOf } from '../../../framework/base/index.ts';
import { kubectlArguments, objectCommand, shellCommand } from '../../../framework/base/text/shell.ts';
import {
  groupResource,
  isUnknownKind,
  keyString,
  type ObjectKey,
  type ResourceType,
} from '../../../framework/kube/index.ts';
import { usedConfigOf } from '../../../framework/managed/index.ts';
import { conditionCheck } from '../../../framework/module/condition-checks.ts';
import {
  type Check,
  type Diagnosis,
  networkRemedy,
  type Remedy,
} from '../../../framework/module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../framework/module/module.ts';
import { reportOf } from '../../../framework/module/object-report.ts';
import { isSameOwner, ownerText } from '../../../framework/ownership/ownership.ts';
import type { ClusterResponse, ClusterState, MothershipClient } from '../client/mothership-client.ts';
import { type AccessOptions, openMothership } from './access.ts';
import {
  differenceOf,
  documentOf,
  isForeign,
  isInProgress,
  ownerOf,
  recordedOwner,
  runtimeIDOf,
} from './document.ts';
import { kubeconfigSecretOf, readKubeconfig } from './kubeconfig.ts';
import { findCluster } from './kyma-cluster.ts';
import { type MothershipConfig, mothershipConfigKinds } from './provider-configs.ts';

export interface ClusterDiagnosisOptions extends DiagnosisQuestion, Omit<AccessOptions, 'signal'> {
  /** Replaces the client of a test. */
  readonly open?: typeof openMothership;
}

/** The order of the report. */
const names = [
  'resource',
  'conditions',
  'kubeconfig',
  'ProviderConfig',
  'credentials',
  'mothership',
  'inventory',
  'components',
];

/** Of a namespaced KymaCluster, or without a namespace of a cluster-scoped one. */
export async function diagnoseCluster(options: ClusterDiagnosisOptions): Promise<Diagnosis> {
  const report = await reportOf(options, names, follow(options));
  return { ...report, mapping: keyString(keyIn(options)) };
}

const keyIn = ({ name, namespace }: DiagnosisQuestion): ObjectKey =>
  namespace === undefined ? { name } : { name, namespace };

const expectedConditions = [{ type: 'Synced', waiting: ['Waiting', 'ReconcilePaused'] }, { type: 'Ready' }];

/** Ends after the first check without which the next ones cannot be made. */
async function* follow(options: ClusterDiagnosisOptions): AsyncGenerator<Check> {
  const { client, signal, namespace } = options;
  const scope = namespace === undefined ? 'cluster' : 'namespaced';
  const place: Place = { type: kymaClusterTypes[scope], key: keyIn(options) };
  const at = { object: `KymaCluster ${keyString(place.key)}`, cluster: client.clusterName };
  let resource: KymaCluster;
  try {
    resource = await client.get<KymaCluster>(kymaClusterTypes[scope], place.key, { signal });
  } catch (error) {
    const remedy = isUnknownKind(error)
      ? clusterRemedies.missingKind()
      : clusterRemedies.missingResource(place);
    yield { name: 'resource', status: 'failed', ...at, detail: messageOf(error), ...remedy };
    return;
  }
  yield { name: 'resource', status: 'ok', ...at, detail: 'found' };
  const { remediation = '' } = clusterRemedies.unknown(place);
  yield conditionCheck(resource.status?.conditions ?? [], expectedConditions, remediation);
  yield await kubeconfigCheck(options, resource, place);

  const found = yield* readConfig(options, resource, scope);
  if (found === undefined) return;
  const { config, configPlace } = found;
  const { open = openMothership } = options;
  let mothership: MothershipClient;
  try {
    ({ mothership } = await open(config, options));
  } catch (error) {
    const remedy = clusterRemedies.access(configPlace);
    yield { name: 'credentials', status: 'failed', detail: messageOf(error), ...remedy };
    return;
  }
  yield { name: 'credentials', status: 'ok', detail: credentialsText(config) };
  try {
    yield* followMothership(options, { mothership, resource, place, config, configPlace });
  } finally {
    await mothership.close();
  }
}

async function kubeconfigCheck(
  options: ClusterDiagnosisOptions,
  resource: KymaCluster,
  place: Place,
): Promise<Check> {
  const name = 'kubeconfig';
  const key = kubeconfigSecretOf(resource);
  const object = key === undefined ? {} : { object: `Secret ${keyString(key)}` };
  try {
    const found = await readKubeconfig(options, resource, options.signal);
    const own = `left to the mothership: Secret kubeconfig-${runtimeIDOf(resource)} of its control plane, or what was registered`;
    return { name, status: 'ok', ...object, detail: found === undefined ? own : 'found' };
  } catch (error) {
    const field = resource.spec.forProvider.kubeconfigSecretRef?.key ?? 'config';
    const remedy = key === undefined ? clusterRemedies.spec(place) : clusterRemedies.kubeconfig(key, field);
    return { name, status: 'failed', ...object, detail: messageOf(error), ...remedy };
  }
}

async function* readConfig(
  { client, signal }: ClusterDiagnosisOptions,
  resource: KymaCluster,
  scope: keyof typeof mothershipConfigKinds,
): AsyncGenerator<Check, { readonly config: MothershipConfig; readonly configPlace: Place } | undefined> {
  const name = 'ProviderConfig';
  const kinds = mothershipConfigKinds[scope];
  let configPlace: Place = { type: kinds.config, key: { name: '' } };
  try {
    const { type, key } = usedConfigOf(resource, kinds);
    configPlace = { type, key };
    const config = await client.get(type, key, { signal });
    yield { name, status: 'ok', object: `${type.kind} ${keyString(key)}`, detail: config.spec.url };
    return { config, configPlace };
  } catch (error) {
    yield { name, status: 'failed', detail: messageOf(error), ...clusterRemedies.config(configPlace) };
    return undefined;
  }
}

function credentialsText({ spec: { credentials } }: MothershipConfig): string {
  const { source, oauthClient } = credentials;
  if (source === 'None') return 'none: the mothership must run without login';
  if (source !== 'OAuthClient') return `a bearer token (${source})`;
  return `an OAuth client of ${URL.parse(oauthClient?.tokenURL ?? '')?.host ?? 'its issuer'}`;
}

interface Opened {
  readonly mothership: MothershipClient;
  readonly resource: KymaCluster;
  readonly place: Place;
  readonly config: MothershipConfig;
  readonly configPlace: Place;
}

async function* followMothership(
  { signal }: ClusterDiagnosisOptions,
  { mothership, resource, place, config, configPlace }: Opened,
): AsyncGenerator<Check> {
  const id = runtimeIDOf(resource);
  const { url } = config.spec;
  let found: Awaited<ReturnType<typeof findCluster>>;
  try {
    found = await findCluster(mothership, id, signal);
  } catch (error) {
    const remedy =
      kindOf(error) === 'auth'
        ? clusterRemedies.login(configPlace, config)
        : (networkRemedy(error, 'spec.url of the provider configuration') ??
          clusterRemedies.access(configPlace));
    yield { name: 'mothership', status: 'failed', object: url, detail: messageOf(error), ...remedy };
    return;
  }
  yield { name: 'mothership', status: 'ok', object: url, detail: 'it answers, and accepts the credentials' };
  const object = `cluster ${id}`;
  if (found === undefined) {
    const detail = 'the mothership does not know it';
    yield { name: 'inventory', status: 'failed', object, detail, ...clusterRemedies.unknown(place) };
    return;
  }
  const { state, answer } = found;
  yield { name: 'inventory', object, ...inventoryState(resource, state, { url, place }) };
  yield { name: 'components', ...componentsState(id, answer, url) };
}

type Found = Omit<Check, 'name' | 'object'>;

function inventoryState(
  resource: KymaCluster,
  state: ClusterState,
  { url, place }: { readonly url: string; readonly place: Place },
): Found {
  const { status } = state.status;
  const id = runtimeIDOf(resource);
  if (isForeign(resource, state)) {
    const detail = 'it was not registered from this namespace';
    return { status: 'failed', detail, ...clusterRemedies.foreign(place) };
  }
  const recorded = recordedOwner(state);
  if (recorded !== undefined && !isSameOwner(recorded, ownerOf(resource))) {
    return {
      status: 'failed',
      detail: `it belongs to ${ownerText(recorded)}`,
      ...clusterRemedies.foreign(place),
    };
  }
  if (status === 'reconcile_disabled') {
    return {
      status: 'failed',
      detail: 'its runs are disabled, so that no change is applied',
      ...clusterRemedies.disabled(id, url),
    };
  }
  let difference: string | undefined;
  try {
    difference = differenceOf(documentOf(resource, undefined), state);
  } catch (error) {
    return { status: 'failed', detail: messageOf(error), ...clusterRemedies.spec(place) };
  }
  if (difference !== undefined) {
    return { status: 'waiting', detail: `differs in ${difference}`, ...clusterRemedies.unknown(place) };
  }
  const detail = `${status}, version ${state.configuration.version} of its configuration`;
  if (status === 'ready') return { status: 'ok', detail };
  const found = isInProgress(status) ? 'waiting' : 'failed';
  return { status: found, detail, ...clusterRemedies.failures(id, url) };
}

function componentsState(id: string, { failures }: ClusterResponse, url: string): Found {
  if (failures.length === 0) return { status: 'ok', detail: 'none fails' };
  const detail = failures.map(({ component, reason }) => `${component}: ${reason}`).join('; ');
  return { status: 'failed', detail, ...clusterRemedies.failures(id, url) };
}

// What to do about each cause for which a KymaCluster does not become ready: the field at fault, and a command.

/** A kind with the key of one of its objects. */
interface Place {
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

const on = (verb: string, { type, key }: Place): string => objectCommand(verb, groupResource(type), key);

const clusterRemedies = {
  /** The API server does not serve KymaClusters. */
  missingKind: (): Remedy => ({
    remediation: 'kubectl apply --server-side -f package/reconciler/chart/files/crds/',
  }),
  missingResource: ({ type, key }: Place): Remedy => ({
    remediation: shellCommand(...kubectlArguments(key.namespace), 'get', groupResource(type)),
  }),
  /** Nothing is known but the conditions and events of the object. */
  unknown: (place: Place): Remedy => ({ remediation: on('describe', place) }),
  /** The provider configuration is missing, or is not named. */
  config: ({ type, key }: Place): Remedy => ({
    field: 'spec.providerConfigRef',
    remediation: shellCommand(...kubectlArguments(key.namespace), 'get', groupResource(type)),
  }),
  /** Its Secret is missing or incomplete, or an address is refused. */
  access: (place: Place): Remedy => ({
    field: 'spec.url, spec.credentials',
    remediation: on('edit', place),
  }),
  /** The mothership refuses the credentials: they are wrong, or their user is not in the group of operators. */
  login: (place: Place, { spec: { credentials } }: MothershipConfig): Remedy => ({
    field: credentials.source === 'OAuthClient' ? 'spec.credentials.oauthClient' : 'spec.credentials',
    remediation: on('edit', place),
  }),
  /** FILE is a kubeconfig. */
  kubeconfig: ({ name, namespace }: ObjectKey, key: string): Remedy => ({
    field: 'spec.forProvider.kubeconfigSecretRef',
    remediation: `${shellCommand(
      ...kubectlArguments(namespace),
      'create',
      'secret',
      'generic',
      name,
      `--from-file=${key}=FILE`,
      '--dry-run=client',
      '--output=yaml',
    )} | kubectl apply --filename=-`,
  }),
  /** The field that is refused is in the message. */
  spec: (place: Place): Remedy => ({ field: 'spec.forProvider', remediation: on('edit', place) }),
  /** The id is that of a cluster of others. */
  foreign: (place: Place): Remedy => ({
    field: 'spec.forProvider.runtimeID',
    remediation: on('delete', place),
  }),
  /** An operator has stopped its runs. */
  disabled: (runtimeID: string, url: string): Remedy => ({
    remediation: operator('enable', runtimeID, url),
  }),
  /** Components fail: their reasons, and when they are retried. */
  failures: (runtimeID: string, url: string): Remedy => ({ remediation: operator('get', runtimeID, url) }),
};

const operator = (verb: string, runtimeID: string, url: string): string =>
  shellCommand('provider-kyma', 'clusters', verb, `--mothership-url=${url}`, '--', runtimeID);
