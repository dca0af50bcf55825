import { type KubeObject, keepMarks } from '../../kube/index.ts';
import { prefix } from './metadata.ts';

/**
 * What the module reads of the metadata of a Secret, whose authors may add 256 KiB of annotations, and labels as large as etcd
 * accepts.
 */
export const ownMarks = keepMarks(prefix);

/** Differs for each change, and for a Secret of the same name. */
export const versionOf = ({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): string =>
  `${uid}/${resourceVersion}`;
