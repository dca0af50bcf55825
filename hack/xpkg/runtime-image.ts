import { readFile } from 'node:fs/promises';
import type { BundleFile } from '../bundle/bundle.ts';
import { type ContainerImage, createLayer, extendImage } from './images/image.ts';

/** Folder of the bundle in the image; package/Dockerfile has the same. */
export const BUNDLE_FOLDER = '/provider-kyma';
/** The file that Node runs. */
export const BUNDLE_PATH = `${BUNDLE_FOLDER}/provider-kyma.mjs`;

/** The user that Crossplane sets for providers, so that the image behaves the same elsewhere. */
const RUNTIME_USER = '2000:2000';

/** Makes glibc return unused memory; package/Dockerfile and bin/ have the same. */
export const RUNTIME_ENV = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' } as const;

/**
 * Options of Node; package/Dockerfile and bin/ have the same. With V8's default of 1 MiB a reconcile's objects are copied
 * by several collections before they are garbage.
 */
export const RUNTIME_OPTIONS = ['--min-semi-space-size=4'] as const;

/** What containers run by name, without a shell; package/Dockerfile copies the same files. */
export const COMMANDS = {
  /** For `kubectl exec POD -- provider-kyma doctor …`. */
  'usr/local/bin/provider-kyma': 'provider-kyma.cjs',
  /** The command of Deployments of the Kyma infrastructure manager: starts that module with their flags. */
  manager: 'manager.cjs',
} as const;

/**
 * Puts the bundle on an image whose entrypoint is Node, as package/Dockerfile does with Docker. The bundle is the
 * same for every platform, so nothing of the platform has to run.
 *
 * @param files of the bundle, by their names below its folder
 */
export async function runtimeImage(
  base: ContainerImage,
  files: readonly BundleFile[],
): Promise<ContainerImage> {
  const members = files.map(({ name, bytes }) => ({ name: `${BUNDLE_FOLDER}/${name}`.slice(1), bytes }));
  const folders = [...new Set(members.map(({ name }) => name.slice(0, name.lastIndexOf('/') + 1)))];
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, file]) => ({
      name,
      bytes: await readFile(new URL(`../../package/commands/${file}`, import.meta.url)),
      mode: 0o755,
    })),
  );
  const layer = await createLayer(
    [...folders.map((name) => ({ name, bytes: new Uint8Array() })), ...members, ...commands],
    { createdBy: `provider-kyma ${BUNDLE_PATH}` },
  );
  return extendImage(base, [layer], ({ Cmd: _, ...config }) => ({
    ...config,
    User: RUNTIME_USER,
    WorkingDir: '/',
    Env: [...(config.Env ?? []), ...Object.entries(RUNTIME_ENV).map(([name, value]) => `${name}=${value}`)],
    ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
    Entrypoint: [...(config.Entrypoint ?? []), ...RUNTIME_OPTIONS, BUNDLE_PATH, 'start'],
  }));
}
