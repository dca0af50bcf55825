import { isObject, valueAt } from '../../../../framework/base/index.ts';
import type { KubeObject } from '../../../../framework/kube/index.ts';
import { withTextsAsData } from '../../../../framework/kube/object/secret-data.ts';
import type { DeployTarget } from '../model/component.ts';
import { isNamespace } from './known-types.ts';
import { FIELD_MANAGER, ownEntry, ownsField } from './managed-fields.ts';
import { groupOf, labelValue, type PreparedObject } from './prepared-object.ts';

interface InterceptorContext {
  readonly target: Pick<DeployTarget, 'component' | 'namespace' | 'version'>;
  /** All objects that are going to be applied. */
  readonly objects: readonly PreparedObject[];
  /** The object as the cluster has it; undefined if it does not exist. Read once. */
  live(object: PreparedObject): Promise<KubeObject | undefined>;
  /** The HorizontalPodAutoscalers of the namespace that the cluster has. Read once. */
  autoscalers(namespace: string): Promise<readonly KubeObject[]>;
}

/** Characters of a size or an address. */
const MAX_TEXT = 256;

const shortText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_TEXT ? value : undefined;

/**
 * What interceptors look at in an object that the cluster has. It is in memory for as long as the objects of a component are prepared,
 * and the server of a tenant says how large each of thousands is.
 */
export function partsOf(live: KubeObject): KubeObject {
  const { metadata } = live;
  const own = ownEntry(live);
  const [replicas, storage, clusterIP] = [['spec', 'replicas'], PATH, ['spec', 'clusterIP']].map((path) =>
    valueAt(live, path),
  );
  const address = shortText(clusterIP);
  const size = shortText(storage);
  const spec = {
    ...(typeof replicas === 'number' ? { replicas } : {}),
    ...(address === undefined ? {} : { clusterIP: address }),
    ...(size === undefined ? {} : { resources: { requests: { storage: size } } }),
  };
  const managedFields = own === undefined ? [] : [ownEntryWith(ownsField(live, REPLICAS))];
  return withParts(live, { metadata: { ...placeOf(metadata), managedFields }, spec });
}

const REPLICAS = ['f:spec', 'f:replicas'];
const ownEntryWith = (replicas: boolean) => ({
  ...{ manager: FIELD_MANAGER, operation: 'Apply' },
  fieldsV1: replicas ? { 'f:spec': { 'f:replicas': {} } } : {},
});

/** The same of an autoscaler: what it scales. */
export function targetOf(hpa: KubeObject): KubeObject {
  const scaleTargetRef = Object.fromEntries(
    ['kind', 'name', 'apiVersion'].flatMap((member) => {
      const text = shortText(valueAt(hpa, ['spec', 'scaleTargetRef', member]));
      return text === undefined ? [] : [[member, text]];
    }),
  );
  return withParts(hpa, { metadata: placeOf(hpa.metadata), spec: { scaleTargetRef } });
}

const withParts = (
  { apiVersion, kind }: KubeObject,
  parts: Pick<KubeObject, 'metadata'> & { spec: object },
) => ({
  apiVersion: shortText(apiVersion) ?? '',
  kind: shortText(kind) ?? '',
  ...parts,
});

function placeOf({ name, namespace }: KubeObject['metadata']): KubeObject['metadata'] {
  const place = shortText(namespace);
  return { name: shortText(name) ?? '', ...(place === undefined ? {} : { namespace: place }) };
}

/** Changes an object in place before it is applied. If one throws, nothing is applied. */
export type Interceptor = (object: PreparedObject, context: InterceptorContext) => void | Promise<void>;

export const LABEL_MANAGED_BY = 'reconciler.kyma-project.io/managed-by';
export const LABEL_ORIGIN_VERSION = 'reconciler.kyma-project.io/origin-version';
/** The component whose chart has the object: another component does not delete it. */
export const LABEL_COMPONENT = 'reconciler.kyma-project.io/component';
export const MANAGED_BY = 'reconciler';

/** All objects: who manages them, and the version that they come from. */
const addLabels: Interceptor = ({ object: { metadata } }, { target }) => {
  metadata.labels = {
    ...metadata.labels,
    [LABEL_MANAGED_BY]: MANAGED_BY,
    [LABEL_ORIGIN_VERSION]: labelValue(target.version),
  };
};

/** Secrets: texts are data, so that keys which leave the chart go, and changes of others are reverted. */
const encodeTexts: Interceptor = ({ object }) => {
  const encoded = withTextsAsData(object);
  if (encoded === object) return;
  Reflect.deleteProperty(object, 'stringData');
  Object.assign(object, encoded);
};

const PATH = ['spec', 'resources', 'requests', 'storage'];

/** The size of a PersistentVolumeClaim that exists stays: users enlarge it, and it cannot shrink. */
const keepVolumeSize: Interceptor = async (prepared, { live }) => {
  const { object, type } = prepared;
  if (type.group !== '' || type.kind !== 'PersistentVolumeClaim') return;
  const wanted = valueAt(object, PATH);
  if (wanted === undefined) return;
  const size = valueAt(await live(prepared), PATH);
  if (typeof size !== 'string' || size === wanted) return;
  const requests = valueAt(object, PATH.slice(0, -1));
  if (isObject(requests)) Object.assign(requests, { storage: size });
};

const TYPES: ReadonlySet<unknown> = new Set([undefined, 'ClusterIP', 'NodePort']);

/** The cluster IP of a Service is immutable: an empty one, or `None`, becomes that of the cluster. */
const keepClusterIp: Interceptor = async (prepared, { live }) => {
  const { object, type } = prepared;
  if (type.group !== '' || type.kind !== 'Service') return;
  const spec = valueAt(object, ['spec']);
  // Without the field, the API server keeps the address itself.
  if (!isObject(spec) || !TYPES.has(spec.type) || !('clusterIP' in spec)) return;
  if (spec.clusterIP !== '' && spec.clusterIP !== 'None') return;
  const found = valueAt(await live(prepared), ['spec', 'clusterIP']);
  const address = typeof found === 'string' && found !== '' ? found : spec.clusterIP;
  const { clusterIP: _, ...others } = spec;
  Object.assign(object, { spec: address === '' ? others : { ...others, clusterIP: address } });
};

/** Those whose pods the webhook of Warden validates. */
const VALIDATED: ReadonlySet<string> = new Set(['kyma-system', 'istio-system']);

/** Namespaces: their name as a label, the injection of Istio's sidecars, and the validation of images. */
const labelNamespaces: Interceptor = ({ object: { metadata }, type }) => {
  if (!isNamespace(type)) return;
  metadata.labels = {
    ...metadata.labels,
    name: metadata.name,
    'istio-injection': 'enabled',
    ...(VALIDATED.has(metadata.name) ? { 'namespaces.warden.kyma-project.io/validate': 'enabled' } : {}),
  };
};

/**
 * The number of replicas of an object that exists is that of its HorizontalPodAutoscaler: one of the chart, or one that others
 * have made. KEDA makes one for each of its own objects.
 */
const keepReplicas: Interceptor = async (prepared, { objects, live, autoscalers }) => {
  const { object } = prepared;
  const spec = valueAt(object, ['spec']);
  if (!isObject(spec) || !('replicas' in spec)) return;
  const { namespace = '' } = object.metadata;
  const isScaled =
    isTarget(prepared, targetsOf(objects, autoscalersAmong)) ||
    isTarget(
      prepared,
      targetsOf(await autoscalers(namespace), (found) => found),
    );
  if (!isScaled) return;
  const found = await live(prepared);
  const replicas = valueAt(found, ['spec', 'replicas']);
  if (found === undefined || typeof replicas !== 'number') return;
  const { replicas: _, ...others } = spec;
  // An owner that gives the field up, being the only one, would reset it to its default.
  const isOwned = ownsField(found, REPLICAS);
  Object.assign(object, { spec: isOwned ? { ...others, replicas } : others });
};

const autoscalersAmong = (objects: readonly PreparedObject[]): readonly KubeObject[] =>
  objects
    .filter(({ type: { group, kind } }) => group === 'autoscaling' && kind === 'HorizontalPodAutoscaler')
    .map(({ object }) => object);

/** By the list of autoscalers, which is the same for all objects: a chart may have thousands of both. */
const indexes = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** What the autoscalers of a list scale. */
function targetsOf<T>(
  list: readonly T[],
  autoscalers: (list: readonly T[]) => readonly KubeObject[],
): ReadonlySet<string> {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const targets = new Set<string>();
  for (const { metadata, ...hpa } of autoscalers(list)) {
    const target = valueAt(hpa, ['spec', 'scaleTargetRef']);
    if (!isObject(target)) continue;
    const { kind, name, apiVersion } = target;
    // Without an apiVersion it names the kind of any group.
    const group = typeof apiVersion === 'string' ? groupOf(apiVersion) : undefined;
    targets.add(keyOfTarget(metadata.namespace, group, kind, name));
  }
  indexes.set(list, targets);
  return targets;
}

function isTarget({ object }: PreparedObject, targets: ReadonlySet<string>): boolean {
  const { apiVersion, kind, metadata } = object;
  return [groupOf(apiVersion), undefined].some((group) =>
    targets.has(keyOfTarget(metadata.namespace, group, kind, metadata.name)),
  );
}

const keyOfTarget = (
  namespace: string | undefined,
  group: string | undefined,
  kind: unknown,
  name: unknown,
) => JSON.stringify([namespace, group, kind, name]);

/**
 * Fields that controllers of the cluster fill are left out of the apply, which would empty them in each run until the controller fills
 * them again: the rules of an aggregated ClusterRole, and authorities of webhooks that a chart leaves blank.
 */
const leaveControlledFields: Interceptor = ({ object, type }) => {
  const kind = `${type.group}/${type.kind}`;
  if (kind === CLUSTER_ROLE && valueAt(object, ['aggregationRule']) !== undefined)
    Reflect.deleteProperty(object, 'rules');
  for (const config of clientsOf(object, kind))
    if (isObject(config) && isBlank(config.caBundle)) Reflect.deleteProperty(config, 'caBundle');
};

const CLUSTER_ROLE = 'rbac.authorization.k8s.io/ClusterRole';

/** What has the field `caBundle`, by kind. */
function clientsOf(object: KubeObject, kind: string): readonly unknown[] {
  switch (kind) {
    case 'admissionregistration.k8s.io/MutatingWebhookConfiguration':
    case 'admissionregistration.k8s.io/ValidatingWebhookConfiguration': {
      const webhooks = valueAt(object, ['webhooks']);
      return Array.isArray(webhooks) ? webhooks.map((each: unknown) => valueAt(each, ['clientConfig'])) : [];
    }
    case 'apiextensions.k8s.io/CustomResourceDefinition':
      return [valueAt(object, ['spec', 'conversion', 'webhook', 'clientConfig'])];
    case 'apiregistration.k8s.io/APIService':
      return [valueAt(object, ['spec'])];
    default:
      return [];
  }
}

/** Charts write `Cg==`, a line feed, where older API servers refused an empty text. */
const isBlank = (base64: unknown): boolean =>
  typeof base64 === 'string' && Buffer.from(base64, 'base64').toString().trim() === '';

const ANNOTATION_DISCLAIMER = 'reconciler.kyma-project.io/managed-by-reconciler-disclaimer';

/** As the Go program wrote it. */
const DISCLAIMER = [
  'DO NOT EDIT - This resource is managed by Kyma.',
  'Any modifications are discarded and the resource is reverted to the original state.',
].join('\n');

const FINALIZED_KINDS: ReadonlySet<string> = new Set(['LogPipeline', 'LogParser', 'OAuth2Client']);

/**
 * Finalizers of these kinds belong to their controllers: those of an object that exists stay as they are. They are left out
 * of the apply rather than copied into it, which would add one again that its controller removes at the same time.
 */
const keepFinalizers: Interceptor = async (prepared, { live }) => {
  const { metadata, kind } = prepared.object;
  if (!FINALIZED_KINDS.has(kind) || metadata.finalizers === undefined) return;
  if ((await live(prepared)) !== undefined) delete metadata.finalizers;
};

/** All objects: that changes of users are reverted. */
const addDisclaimer: Interceptor = ({ object: { metadata } }) => {
  metadata.annotations = { ...metadata.annotations, [ANNOTATION_DISCLAIMER]: DISCLAIMER };
};

/** What changes the objects of all components before they are applied, in this order. */
export const INTERCEPTORS: readonly Interceptor[] = [
  addLabels,
  addDisclaimer,
  encodeTexts,
  keepClusterIp,
  keepVolumeSize,
  leaveControlledFields,
  labelNamespaces,
  keepFinalizers,
  keepReplicas,
];
