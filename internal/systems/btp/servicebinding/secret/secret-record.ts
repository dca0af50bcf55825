/**
 * Notices that others changed the Secret of a binding, without keeping credentials: by the version of the Secret, which
 * `status.secretVersion` has over restarts. Within a process a hash with a random key tells changes of the content
 * from changes of labels and annotations of others.
 */
import type { Secret } from '../../../../framework/kube/index.ts';
import { fingerprint } from '../../parameters/go-json.ts';
import { secretVersionOf } from '../../secret-version.ts';
import type { SecretContent } from './assemble-content.ts';

/** A Secret that has the content of its binding. */
export interface SecretRecord {
  readonly version: string;
  /** Of the content, for this process. */
  readonly fingerprint: string;
  /** Names of the labels and annotations that belong to the content. */
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

export function recordOf(
  secret: Secret,
  content: Pick<SecretContent, 'labels' | 'annotations'>,
): SecretRecord {
  const marks = { labels: Object.keys(content.labels), annotations: Object.keys(content.annotations) };
  return { ...marks, version: secretVersionOf(secret), fingerprint: fingerprintOf(secret, marks) };
}

/** Whether the Secret still has the recorded content. Labels and annotations of others do not count. */
export const hasContent = (secret: Secret, record: SecretRecord): boolean =>
  fingerprintOf(secret, record) === record.fingerprint;

function fingerprintOf(
  { metadata, data = {}, type = '', immutable = false }: Secret,
  names: Pick<SecretRecord, 'labels' | 'annotations'>,
): string {
  const { labels = {}, annotations = {} } = metadata;
  const marks = [pick(labels, names.labels), pick(annotations, names.annotations)];
  return fingerprint([data, type, immutable, ...marks]);
}

const pick = (from: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name] ?? '']] : [])));
