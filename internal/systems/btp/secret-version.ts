import type { KubeObject } from '../../framework/kube/index.ts';

/** Differs for each change, and for a Secret of the same name. */
export const secretVersionOf = ({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): string =>
  `${uid}/${resourceVersion}`;
