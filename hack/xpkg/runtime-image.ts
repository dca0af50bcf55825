import { type ContainerImage, createLayer, extendImage } from './images/image.ts';
import type { TarMember } from './images/tar-archive.ts';

/** The user that Crossplane sets for providers, so that the image behaves the same elsewhere. */
const RUNTIME_USER = '2000:2000';

/** Makes glibc return unused memory; package/Dockerfile and bin/ have the same. */
export const RUNTIME_ENV = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' } as const;

/**
 * Options of Node; package/Dockerfile and bin/ have the same. With V8's default of 1 MiB a reconcile's objects are copied
 * by several collections before they are garbage.
 */
export const RUNTIME_OPTIONS = ['--min-semi-space-size=4'] as const;

/** What an image starts. */
export interface RuntimeProgram {
  /** Of the folder below the root of the image, and of the file in it that Node runs, without `.mjs`. */
  readonly name: string;
  /** Of the bundle, by their names below that folder. */
  readonly files: readonly TarMember[];
  /** Default: none. */
  readonly args?: readonly string[];
  /** Executable files, by their path without the first `/`. Default: none. */
  readonly commands?: readonly TarMember[];
}

/**
 * Puts a bundle on an image whose entrypoint is Node, as package/Dockerfile does with Docker. The bundle is the
 * same for every platform, so nothing of the platform has to run.
 */
export async function runtimeImage(
  base: ContainerImage,
  { name, files, args = [], commands = [] }: RuntimeProgram,
): Promise<ContainerImage> {
  const path = `/${name}/${name}.mjs`;
  const members = files.map((file) => ({ ...file, name: `${name}/${file.name}` }));
  const folders = [
    ...new Set(members.map((member) => member.name.slice(0, member.name.lastIndexOf('/') + 1))),
  ];
  const layer = await createLayer(
    [
      ...folders.map((folder) => ({ name: folder, bytes: new Uint8Array() })),
      ...members,
      ...commands.map((command) => ({ ...command, mode: 0o755 })),
    ],
    { createdBy: `${name} ${path}` },
  );
  return extendImage(base, [layer], ({ Cmd: _, ...config }) => ({
    ...config,
    User: RUNTIME_USER,
    WorkingDir: '/',
    Env: [...(config.Env ?? []), ...Object.entries(RUNTIME_ENV).map(([name, value]) => `${name}=${value}`)],
    ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
    Entrypoint: [...(config.Entrypoint ?? []), ...RUNTIME_OPTIONS, path, ...args],
  }));
}
