/** The Secrets with kubeconfigs of runtimes. Of thousands of them only what decides is in memory, and no credential. */
import { X509Certificate } from 'node:crypto';
import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { formatTimestamp, ownMember } from '../../../framework/base/index.ts';

import {
  type Informer,
  type Informers,
  type KubeObject,
  type ResourceType,
  type Secret,
  secrets,
} from '../../../framework/kube/index.ts';
import {
  annotationCluster,
  annotationLastSync,
  clusterRecord,
  labelClusterName,
  labelManagedBy,
  labelShootName,
  MANAGED_BY,
  recordedCluster,
} from './metadata.ts';

/** What is known of a kubeconfig. */
export interface KubeconfigSummary {
  /** When its client certificate expires, in ms since the epoch; undefined: it has none, e.g. a token. */
  readonly expiresAt?: number;
}

/** A Secret without its content. */
export interface KubeconfigSecret extends KubeObject {
  /** Of the keys that have a kubeconfig, at most `MAX_KEYS`. */
  kubeconfigs?: Record<string, KubeconfigSummary>;
}

const MAX_KEYS = 8;
/** Of a kubeconfig, in base64 characters: what a Secret can have. */
export const MAX_KUBECONFIG_BASE64 = 350_000;

/** Secrets as this module reads them. */
const summarized: ResourceType<KubeconfigSecret> = {
  group: secrets.group,
  version: secrets.version,
  kind: secrets.kind,
  plural: secrets.plural,
  namespaced: secrets.namespaced,
};

/** The Secrets with the kubeconfig of a Shoot. All users share one informer. */
export const kubeconfigInformer = (informers: Informers): Informer<KubeconfigSecret> =>
  informers.of(summarized, { selection: { labelSelector: labelShootName }, transform: summarize });

/** The Secret without its content. */
export function summarize(secret: Secret): KubeconfigSecret {
  const { data = {}, ...rest } = secret;
  const { managedFields: _, ...metadata } = secret.metadata;
  const kubeconfigs: Record<string, KubeconfigSummary> = {};
  for (const key of Object.keys(data).slice(0, MAX_KEYS)) {
    const summary = summaryOf(ownMember(data, key));
    if (summary !== undefined) kubeconfigs[key] = summary;
  }
  return { apiVersion: rest.apiVersion, kind: rest.kind, metadata, kubeconfigs };
}

/** Undefined: it is no kubeconfig. The check is cheap, since all Secrets are read at the start. */
function summaryOf(base64: unknown): KubeconfigSummary | undefined {
  if (typeof base64 !== 'string' || base64.length > MAX_KUBECONFIG_BASE64) return undefined;
  const text = Buffer.from(base64, 'base64').toString('utf8');
  if (!text.includes('server:') && !text.includes('"server"')) return undefined;
  const [, certificate] = /client-certificate-data"?:\s*"?([A-Za-z0-9+/=]+)/.exec(text) ?? [];
  if (certificate === undefined) return {};
  try {
    const expiresAt = new X509Certificate(Buffer.from(certificate, 'base64')).validToDate.getTime();
    return { expiresAt };
  } catch {
    return undefined;
  }
}

/** The kubeconfig of the GardenerCluster in its Secret; undefined: there is none. */
export const kubeconfigOf = (
  secret: KubeconfigSecret | undefined,
  { spec }: GardenerCluster,
): KubeconfigSummary | undefined => ownMember(secret?.kubeconfigs, spec.kubeconfig.secret.key);

/** The labels that a Secret gets from its GardenerCluster. */
const labelsFor = ({ metadata, spec }: GardenerCluster): Record<string, string> => ({
  ...metadata.labels,
  // By which it is found; GardenerClusters of older programs may lack it.
  [labelShootName]: metadata.labels?.[labelShootName] ?? spec.shoot.name,
  [labelManagedBy]: MANAGED_BY,
  [labelClusterName]: metadata.name,
});

/** The Secret to create, with `kubeconfig` in base64. */
export function secretFor(cluster: GardenerCluster, kubeconfig: string, now: number): Secret {
  const { name, namespace, key } = cluster.spec.kubeconfig.secret;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: labelsFor(cluster),
      annotations: { ...clusterRecord(cluster), [annotationLastSync]: formatTimestamp(now) },
    },
    type: 'Opaque',
    data: { [key]: kubeconfig },
  };
}

/**
 * Whether it was of a former GardenerCluster of that name, for another Shoot: its kubeconfig leads to the cluster of others. Its own has
 * the uid of its GardenerCluster, whatever became of its labels.
 */
export function isOfAnotherShoot(secret: KubeObject, { metadata, spec }: GardenerCluster): boolean {
  const { [labelShootName]: shoot } = secret.metadata.labels ?? {};
  const isOwn = recordedCluster(secret)?.uid === metadata.uid && metadata.uid !== undefined;
  return !isOwn && shoot !== undefined && shoot !== spec.shoot.name;
}

/** The Secret with another kubeconfig, and all that others put into it, unless that was for another Shoot. */
export function withKubeconfig(
  found: Secret,
  cluster: GardenerCluster,
  kubeconfig: string,
  now: number,
): Secret {
  const { metadata, data } = secretFor(cluster, kubeconfig, now);
  const { managedFields: _, ...kept } = found.metadata;
  return {
    ...found,
    metadata: {
      ...kept,
      labels: { ...kept.labels, ...metadata.labels },
      annotations: { ...kept.annotations, ...metadata.annotations },
    },
    data: { ...(isOfAnotherShoot(found, cluster) ? {} : found.data), ...data },
  };
}

/**
 * Whether it has the labels by which others find it, and names no other GardenerCluster as its owner. A Secret without that record
 * gets it with its next kubeconfig.
 */
export function hasRecord(
  { metadata: { labels = {}, annotations = {} } }: KubeObject,
  cluster: GardenerCluster,
): boolean {
  const record = clusterRecord(cluster)[annotationCluster];
  return (
    Object.entries(labelsFor(cluster)).every(([name, value]) => labels[name] === value) &&
    (annotations[annotationCluster] ?? record) === record
  );
}

/** The Secret with labels and record of its GardenerCluster, and all else as it is. */
export function withRecord(found: Secret, cluster: GardenerCluster): Secret {
  const { managedFields: _, ...metadata } = found.metadata;
  return {
    ...found,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labelsFor(cluster) },
      annotations: { ...metadata.annotations, ...clusterRecord(cluster) },
    },
  };
}
