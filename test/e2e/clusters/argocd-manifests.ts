/** Argo CD's manifests, changed for images that have one program and nothing else. */
import { basename } from 'node:path';

/** Of Argo CD in its image, with all components. */
export const PROGRAM = '/usr/local/bin/argocd';

export interface NodeManifests {
  readonly objects: readonly unknown[];
  /** References of the images. */
  readonly images: { readonly argocd: string; readonly redis: string };
}

/**
 * Leaves out the component for ApplicationSets, and the container that copies the program for plugins of configuration
 * management: there is no shell and no `cp`.
 */
export function nodeManifests(documents: readonly unknown[]): NodeManifests {
  const kept = (documents as readonly KubernetesObject[]).filter(
    ({ kind, metadata }) => kind === 'CustomResourceDefinition' || !metadata.name.includes('applicationset'),
  );
  const images = kept.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []).map(({ image }) => image);
  const argocd = images.find((image) => image.includes('/argocd:'));
  const redis = images.find((image) => image.includes('/redis:'));
  if (argocd === undefined || redis === undefined)
    throw new Error('the manifests name no images of Argo CD and Redis');
  return { objects: kept.map((object) => withOneProgram(object, argocd)), images: { argocd, redis } };
}

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: { readonly spec?: PodSpec } };
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly object[];
}

function withOneProgram(object: KubernetesObject, argocd: string): KubernetesObject {
  const { spec } = object;
  const pod = spec?.template?.spec;
  if (pod?.containers === undefined) return object;
  const { initContainers = [] } = pod;
  const changed = {
    ...pod,
    initContainers: initContainers.filter(({ command = [] }) => command[0] !== '/bin/cp'),
    containers: pod.containers.map((container) =>
      container.image === argocd ? named(container) : container,
    ),
  };
  return { ...object, spec: { ...spec, template: { ...spec?.template, spec: changed } } };
}

/** The first argument is a link to the program, whose name says which component it is. */
function named({ args: [link = '', ...args] = [], env = [], ...container }: Container): Container {
  const component = { name: 'ARGOCD_BINARY_NAME', value: basename(link) };
  return { ...container, command: [PROGRAM], args, env: [...env, component] };
}
