import { type ImageBlob, jsonBlob } from './image-blob.ts';
import type { Layer } from './layer.ts';
import {
  type Descriptor,
  type ImageConfig,
  type ImageManifest,
  mediaTypes,
  type Platform,
} from './oci-image.ts';

/** An image for one platform, or, as a package without a runtime, for none. */
export interface ContainerImage {
  readonly config: ImageConfig;
  readonly layers: readonly Layer[];
}

/** Adds layers on top, with their history, and what `change` makes of the config. */
export function extendImage(
  image: ContainerImage,
  layers: readonly Layer[],
  change: (config: NonNullable<ImageConfig['config']>) => NonNullable<ImageConfig['config']>,
): ContainerImage {
  const { config } = image;
  const history = layers.flatMap((layer) => (layer.history === undefined ? [] : [layer.history]));
  return {
    config: {
      ...config,
      config: change(config.config ?? {}),
      rootfs: {
        type: 'layers',
        diff_ids: [...config.rootfs.diff_ids, ...layers.map(({ diffId }) => diffId)],
      },
      history: [...(config.history ?? []), ...history],
    },
    layers: [...image.layers, ...layers],
  };
}

/** The platform of an image; undefined for one that runs nothing. */
export function platformOf({ config }: ContainerImage): Platform | undefined {
  const { os, architecture, variant } = config;
  if (os === '' || architecture === '') return undefined;
  return { architecture, os, ...(variant ? { variant } : {}) };
}

/** Everything that a registry or a layout stores of an image. */
export interface StoredImage {
  readonly manifest: ImageBlob;
  readonly config: ImageBlob;
  readonly layers: readonly ImageBlob[];
}

/** @param annotations of the manifest */
export function storedImage(
  image: ContainerImage,
  annotations: Readonly<Record<string, string>>,
): StoredImage {
  const config = jsonBlob(image.config);
  const manifest: ImageManifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: descriptor(mediaTypes.config, config),
    layers: image.layers.map(({ blob, annotations: own }) => ({
      ...descriptor(mediaTypes.layer, blob),
      ...(own ? { annotations: own } : {}),
    })),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
  return { manifest: jsonBlob(manifest), config, layers: image.layers.map(({ blob }) => blob) };
}

export const descriptor = (mediaType: string, { digest, bytes }: ImageBlob): Descriptor => ({
  mediaType,
  digest,
  size: bytes.length,
});
