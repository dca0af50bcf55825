import { readFile } from 'node:fs/promises';
import { type ContainerImage, createLayer, extendImage, type ImageConfig } from '../../xpkg/images/image.ts';
import type { TarMember } from '../../xpkg/images/tar-archive.ts';

export interface ProgramImageOptions {
  /** Of the program in the image: `/pause`. */
  readonly path: string;
  /** Of the program on this machine: one that needs no libraries. */
  readonly file: string;
  /** Other files, by their path without the first `/`. */
  readonly files?: readonly TarMember[];
  readonly config?: ImageConfig['config'];
}

/** An image of one program and nothing else, for this machine's architecture. */
export async function programImage(options: ProgramImageOptions): Promise<ContainerImage> {
  const { path, file, files = [], config = {} } = options;
  const program = { name: path.slice(1), bytes: await readFile(file), mode: 0o755 };
  const layer = await createLayer([program, ...files], { createdBy: path });
  return extendImage(
    {
      config: {
        architecture: process.arch === 'x64' ? 'amd64' : process.arch,
        os: 'linux',
        config: {},
        rootfs: { type: 'layers', diff_ids: [] },
        history: [],
      },
      layers: [],
    },
    [layer],
    () => ({ User: '65532:65532', WorkingDir: '/', Entrypoint: [path], ...config }),
  );
}
