import type { KubeObject } from '../../../../framework/kube/index.ts';

/** An object to be applied, with where it was written, for messages. */
export interface ManifestObject {
  readonly object: KubeObject;
  /** `chart/templates/service.yaml`, or the path of a file with CRDs. */
  readonly source: string;
}

/** The objects of a component, in the order in which they are applied. */
export type Manifest = readonly ManifestObject[];
