import { archiveOf, type ContainerImage, platformOf } from '../../../../hack/xpkg/images/image.ts';
import { readOciLayout } from '../../../../hack/xpkg/images/oci-layout.ts';
import { readTar } from '../../../../hack/xpkg/images/tar-archive.ts';

/** The files of an image for this machine. */
export interface ImageFiles {
  /** The program that the image starts. */
  readonly program: Uint8Array;
  /** All files, by path without the first `/`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Reads an OCI layout. @throws if it has no image for this machine, or that has no program */
export async function imageFiles(layout: string): Promise<ImageFiles> {
  return filesOf(await readOciLayout(layout), layout);
}

/** @param title of the image, for errors */
export async function filesOf(images: readonly ContainerImage[], title: string): Promise<ImageFiles> {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const image = images.find((each) => platformOf(each)?.architecture === architecture);
  if (image === undefined) throw new Error(`${title} has no image for ${architecture}`);
  const files = new Map<string, Uint8Array>();
  for (const layer of image.layers) {
    for (const [name, bytes] of await readTar(archiveOf(layer))) files.set(name, bytes);
  }
  const [entrypoint = ''] = image.config.config?.Entrypoint ?? [];
  const program =
    files.get(entrypoint.replace(/^\/+/, '')) ?? files.get(`usr/local/bin/${entrypoint.split('/').at(-1)}`);
  if (program === undefined) throw new Error(`${title} has no program ${entrypoint}`);
  return { program, files };
}
