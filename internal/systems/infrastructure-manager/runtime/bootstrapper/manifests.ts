/** The manifests of the runtime bootstrapper, and the kinds that it needs beside those of each cluster, as far as they are read here. */
import { createHash } from 'node:crypto';
import { ProviderError, valueAt } from '../../../../framework/base/index.ts';
import { parseKubernetesYaml } from '../../../../framework/base/text/kubernetes-yaml.ts';
import {
  type KubeObject,
  keyString,
  type ObjectKey,
  type ResourceType,
} from '../../../../framework/kube/index.ts';
import { withTextsAsData } from '../../../../framework/kube/object/secret-data.ts';

export interface Deployment extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export const deployments: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** Certificates that pods can mount. */
export interface ClusterTrustBundle extends KubeObject {
  readonly spec: { readonly signerName?: string; readonly trustBundle: string };
}

export const clusterTrustBundles: ResourceType<ClusterTrustBundle> = {
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  namespaced: false,
  hasCrd: false,
};

/** What is installed, as operators write it. */
export interface Manifests {
  /** In their order, but for the Deployment. */
  readonly objects: readonly KubeObject[];
  /** Applied last: its version and its digest say that all of them are. */
  readonly deployment: KubeObject;
}

const labelVersion = 'app.kubernetes.io/version';
/** Of the Deployment: the digest of all manifests. One that the Kyma infrastructure manager has installed has none. */
const annotationManifests = 'infrastructuremanager.kyma-project.io/manifests';

const DEFAULT_NAMESPACE = 'default';

/**
 * The objects of the text, one a document.
 *
 * @param where of the text, for messages: `ConfigMap kcp-system/runtime-bootstrapper-manifests: manifests.yaml`
 * @param deployment the one that says whether the bootstrapper works
 * @throws ProviderError with the line of a mistake, or if that Deployment is missing
 */
export function parseManifests(text: string, where: string, deployment: ObjectKey): Manifests {
  const documents = parseKubernetesYaml(text);
  const objects = [...documents].flatMap((document) => {
    const at = (offset: number) => `${where}, line ${text.slice(0, offset).split('\n').length}`;
    const [mistake] = document.errors;
    if (mistake !== undefined)
      throw new ProviderError('terminal', `${at(mistake.pos[0])}: it is not valid YAML (${mistake.code})`);
    return objectsOf(document.toJS({ maxAliasCount: 100 }), at(document.range[0]));
  });
  const isWatched = ({ kind, metadata: { namespace = DEFAULT_NAMESPACE, name } }: KubeObject) =>
    kind === 'Deployment' && namespace === deployment.namespace && name === deployment.name;
  const watched = objects.find(isWatched);
  if (watched === undefined)
    throw new ProviderError('terminal', `${where} has no Deployment ${keyString(deployment)}`);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const { metadata } = watched;
  return {
    objects: objects.filter((object) => object !== watched),
    deployment: {
      ...watched,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [annotationManifests]: digest } },
    },
  };
}

/** A document without a kind is skipped. */
function objectsOf(value: unknown, where: string): KubeObject[] {
  const text = (...path: string[]) => {
    const found = valueAt(value, path);
    return typeof found === 'string' ? found : '';
  };
  if (text('kind') === '') return [];
  if (text('apiVersion') === '' || text('metadata', 'name') === '')
    throw new ProviderError('terminal', `${where}: the object has no apiVersion or no metadata.name`);
  return [value as KubeObject];
}

/** The object as it is in a cluster: with a namespace exactly if its kind has one, and texts of a Secret as its data. */
export function placed(object: KubeObject, isNamespaced: boolean): KubeObject {
  const { namespace = DEFAULT_NAMESPACE, ...metadata } = object.metadata;
  return withTextsAsData({ ...object, metadata: isNamespaced ? { ...metadata, namespace } : metadata });
}

/** Whether the Deployment of a cluster is of other manifests: of another version, or of other content if that is known. */
export function isOutdated({ metadata: live }: KubeObject, { deployment: { metadata } }: Manifests): boolean {
  if (live.labels?.[labelVersion] !== metadata.labels?.[labelVersion]) return true;
  const digest = live.annotations?.[annotationManifests];
  return digest !== undefined && digest !== metadata.annotations?.[annotationManifests];
}
