import { ProviderError, textAt } from '../../../../framework/base/index.ts';
import { configMaps, type KubeObject, type ResourceType, secrets } from '../../../../framework/kube/index.ts';
import type { Action, ActionContext, ComponentActions } from '../model/component.ts';
import { allObjects, collectValues } from '../objects/listed-objects.ts';
import {
  daemonSets,
  deleteObject,
  deployments,
  findObject,
  itemsAt,
  KYMA_SYSTEM,
  secretText,
  serviceAccounts,
  services,
} from './objects.ts';

const SELF_SIGNED = 'serverless-self-signed-cert';
const REGISTRY = 'serverless-docker-registry';

/** What versions with Istio have left. */
const oldObjects: readonly (readonly [type: ResourceType, name: string])[] = [
  [istio('VirtualService'), REGISTRY],
  [istio('DestinationRule'), REGISTRY],
  [configMaps, `${REGISTRY}-cert-patch`],
  [daemonSets, `${REGISTRY}-self-signed-cert`],
  [serviceAccounts, SELF_SIGNED],
  [clusterScoped('ClusterRole'), SELF_SIGNED],
  [clusterScoped('ClusterRoleBinding'), SELF_SIGNED],
];

/** Deletes objects of earlier versions. Those of kinds that the cluster does not serve are gone. */
const deleteOldObjects: Action = async (context) => {
  for (const [type, name] of oldObjects) {
    await deleteObject(context, type, type.namespaced ? { name, namespace: KYMA_SYSTEM } : { name });
  }
};

function istio(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'networking.istio.io', version: 'v1beta1', kind, plural, namespaced: true };
}

function clusterScoped(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced: false };
}

/** Keeps what the registry of functions has been given, and deletes what earlier versions have left. */
export const serverless: ComponentActions = {
  preReconcile: async (context) => {
    await keepRegistryCredentials(context);
    await chooseNodePort(context);
  },
  postReconcile: deleteOldObjects,
};

const SERVICE = 'serverless-docker-registry';
const PORT_NAME = 'http-registry';
const VALUE = 'global.registryNodePort';
/** What the chart has. */
const DEFAULT_PORT = 32_137;
/** Node ports of Kubernetes, without the last one. */
const FIRST_PORT = 30_000;
const LAST_PORT = 32_766;
const TRIES = 100;

/** The port of the registry: the one it has, else the default one, else a free one. */
const chooseNodePort: Action = async (context) => {
  const { configuration, task } = context;
  const own = await findObject(context, services, { name: SERVICE, namespace: task.namespace });
  if (own !== undefined && textAt(own, 'spec', 'type') === 'NodePort') {
    const ports = itemsAt(own, 'spec', 'ports');
    if (ports.some(({ nodePort }) => nodePort === DEFAULT_PORT)) return;
    const named = ports.find(({ name }) => name === PORT_NAME);
    configuration[VALUE] = typeof named?.nodePort === 'number' ? named.nodePort : DEFAULT_PORT;
    return;
  }
  const taken = await takenPorts(context);
  if (taken.has(DEFAULT_PORT)) configuration[VALUE] = freePort(taken, context);
};

async function takenPorts(context: ActionContext): Promise<ReadonlySet<number>> {
  const portsOf = (service: KubeObject) =>
    itemsAt(service, 'spec', 'ports').flatMap(({ nodePort }) =>
      typeof nodePort === 'number' ? [nodePort] : [],
    );
  return new Set(await collectValues(allObjects(context, services), portsOf, context.cluster));
}

function freePort(taken: ReadonlySet<number>, { random }: Pick<ActionContext, 'random'>): number {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = FIRST_PORT + Math.floor(random() * (LAST_PORT - FIRST_PORT + 1));
    if (!taken.has(port)) return port;
  }
  throw new ProviderError('transient', `no free node port for ${SERVICE} was found in ${TRIES} tries`);
}

const CREDENTIALS = { name: 'serverless-registry-config-default', namespace: KYMA_SYSTEM };
const REGISTRY_DEPLOYMENT = { name: 'serverless-docker-registry', namespace: KYMA_SYSTEM };
const HTTP_SECRET = 'REGISTRY_HTTP_SECRET';

/** The chart makes new credentials for each rendering: those of the cluster go into its values. */
const keepRegistryCredentials: Action = async (context) => {
  const { configuration } = context;
  const secret = await findObject(context, secrets, CREDENTIALS);
  if (secret === undefined) return;
  set(configuration, 'dockerRegistry.username', secretText(secret, 'username'));
  set(configuration, 'dockerRegistry.password', secretText(secret, 'password'));
  const isInternal = secretText(secret, 'isInternal');
  if (isInternal) configuration['dockerRegistry.enableInternal'] = booleans.get(isInternal) ?? isInternal;
  await keepDeployment(context);
};

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Another hash would restart the registry, and another secret break uploads in progress. */
async function keepDeployment(context: ActionContext): Promise<void> {
  const { configuration } = context;
  const registry = await findObject(context, deployments, REGISTRY_DEPLOYMENT);
  if (registry === undefined) return;
  set(
    configuration,
    'docker-registry.rollme',
    textAt(registry, 'spec', 'template', 'metadata', 'annotations', 'rollme'),
  );
  const variables = itemsAt(registry, 'spec', 'template', 'spec', 'containers').flatMap((container) =>
    itemsAt(container, 'env'),
  );
  const secret = variables.find(({ name, value }) => name === HTTP_SECRET && value !== '');
  set(configuration, 'docker-registry.registryHTTPSecret', textAt(secret, 'value'));
}

function set(configuration: ActionContext['configuration'], key: string, value: string | undefined): void {
  if (value !== undefined && value !== '') configuration[key] = value;
}
