/**
 * The image of a Crossplane package, as `crossplane xpkg build` makes it: `package.yaml` and the examples are a layer
 * each, and labels of the config identify them.
 */
import { type ContainerImage, createLayer, extendImage, type NewLayer } from './images/image.ts';

/** Identifies a layer of a package; on its descriptor, and, for tarballs, in labels of the config. */
const LAYER_KIND = 'io.crossplane.xpkg';

/** Labels that describe an image: those of a base image do not describe the package (OCI image-spec, annotations.md). */
const DESCRIPTION = 'org.opencontainers.image.';

export interface PackageContents {
  /** Text of `package.yaml`. */
  readonly packageYaml: string;
  /** Text of `.up/examples.yaml`; without it the layer is left out. */
  readonly examplesYaml?: string;
  /** Labels of the config that describe the package; default: none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** An image that runs nothing: what a package without a runtime starts from. */
const nothing: ContainerImage = {
  config: { architecture: '', os: '', config: {}, rootfs: { type: 'layers', diff_ids: [] }, history: [] },
  layers: [],
};

/**
 * One image for each runtime image: that image with the package on top, since a provider's Deployment runs its package.
 * Without a runtime image, one that Crossplane installs but no node can start.
 */
export async function packageImages(
  contents: PackageContents,
  runtimes: readonly ContainerImage[],
): Promise<ContainerImage[]> {
  const layers = [await packageLayer('package.yaml', contents.packageYaml, 'base')];
  if (contents.examplesYaml !== undefined) {
    layers.push(await packageLayer('.up/examples.yaml', contents.examplesYaml, 'upbound'));
  }
  const kinds = Object.fromEntries(
    layers.map(({ blob, annotations }) => [`${LAYER_KIND}:${blob.digest}`, annotations?.[LAYER_KIND] ?? '']),
  );
  return (runtimes.length > 0 ? runtimes : [nothing]).map((runtime) =>
    extendImage(runtime, layers, (config) => ({
      ...config,
      Labels: { ...inherited(config.Labels), ...contents.labels, ...kinds },
    })),
  );
}

/** A runtime image may have been a package before, and only one layer may count as the package's base. */
const inherited = (labels: Readonly<Record<string, string>> | null = {}) =>
  Object.fromEntries(
    Object.entries(labels ?? {}).filter(
      ([name]) => !name.startsWith(`${LAYER_KIND}:`) && !name.startsWith(DESCRIPTION),
    ),
  );

const packageLayer = (name: string, text: string, kind: 'base' | 'upbound'): Promise<NewLayer> =>
  createLayer([{ name, bytes: Buffer.from(text) }], {
    annotations: { [LAYER_KIND]: kind },
    createdBy: `package ${name}`,
  });
