/**
 * Marks on a Secret whose changes update ServiceInstances: an annotation for each of these instances, and for all of them
 * a label, by which Secrets are watched, and a finalizer. They are those of the SAP BTP service operator. A Secret with
 * credentials that are needed has the same marks, with `credentialUse` in place of the uid of an instance: so that
 * operator also releases it, should it take over.
 */
import type { KubeObject } from '../../../framework/kube/index.ts';
import { finalizer, prefix } from '../metadata.ts';

export const watchLabel = `${prefix}watch-secret`;
const annotationPrefix = `${prefix}watch-secret-`;
/** In place of the uid of an instance: credentials are needed by any number of instances and bindings. */
export const credentialUse = 'credentials';
const TRUE = 'true';

type Marked = Pick<KubeObject, 'metadata'>;

/** A JSON merge patch of metadata. */
export interface MarksPatch {
  readonly metadata: {
    /** The API server refuses the patch of another version. */
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string | null>>;
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly finalizers?: readonly string[];
  };
}

/** The uids of the instances that watch the Secret, and `credentialUse`. */
export function watchers({ metadata: { annotations = {} } }: Marked): string[] {
  return Object.keys(annotations).flatMap((name) =>
    name.startsWith(annotationPrefix) ? [name.slice(annotationPrefix.length)] : [],
  );
}

/** Adds the marks of one instance; undefined if the Secret has them. */
export function addWatcher(secret: Marked, uid: string): MarksPatch | undefined {
  const { resourceVersion = '', annotations = {}, labels = {}, finalizers = [] } = secret.metadata;
  const hasAnnotation = Object.hasOwn(annotations, `${annotationPrefix}${uid}`);
  const isLabelled = labels[watchLabel] === TRUE;
  const isKept = finalizers.includes(finalizer);
  if (hasAnnotation && isLabelled && isKept) return undefined;
  return {
    metadata: {
      resourceVersion,
      annotations: { [`${annotationPrefix}${uid}`]: TRUE },
      ...(isLabelled ? {} : { labels: { [watchLabel]: TRUE } }),
      ...(isKept ? {} : { finalizers: [...finalizers, finalizer] }),
    },
  };
}

/** Removes the marks of these instances; label and finalizer stay while others remain. Undefined: nothing to remove. */
export function removeWatchers(secret: Marked, uids: readonly string[]): MarksPatch | undefined {
  const present = watchers(secret);
  const unwatched = new Set(uids);
  const removed = present.filter((uid) => unwatched.has(uid));
  const { resourceVersion = '', labels = {}, finalizers = [] } = secret.metadata;
  const last = removed.length === present.length;
  const hasRest = labels[watchLabel] !== undefined || finalizers.includes(finalizer);
  if (removed.length === 0 && !(last && hasRest)) return undefined;
  return {
    metadata: {
      resourceVersion,
      annotations: Object.fromEntries(removed.map((uid) => [`${annotationPrefix}${uid}`, null])),
      ...(last ? { labels: { [watchLabel]: null } } : {}),
      ...(last ? { finalizers: finalizers.filter((name) => name !== finalizer) } : {}),
    },
  };
}

/** Removes the finalizer from a Secret that is being deleted; undefined if it does not have it. */
export function releaseDeleted(secret: Marked): MarksPatch | undefined {
  const { resourceVersion = '', deletionTimestamp, finalizers = [] } = secret.metadata;
  if (deletionTimestamp === undefined || !finalizers.includes(finalizer)) return undefined;
  return { metadata: { resourceVersion, finalizers: finalizers.filter((name) => name !== finalizer) } };
}

const refPrefix = `${prefix}secret-ref_`;
/** A label name has at most 63 characters. A Secret with a longer name has no label; it is watched all the same. */
const MAX_REF_NAME = 63 - 'secret-ref_'.length;

/** The labels of an instance with one label for each Secret that it watches. */
export function withSecretRefs(
  labels: Readonly<Record<string, string>> = {},
  secretNames: readonly string[],
): Record<string, string> {
  const others = Object.entries(labels).filter(([name]) => !name.startsWith(refPrefix));
  const refs = secretNames.flatMap((name) =>
    name.length <= MAX_REF_NAME ? [[`${refPrefix}${name}`, name] as const] : [],
  );
  return Object.fromEntries([...others, ...refs]);
}
