import type { ContainerImage } from './images/image.ts';
import { readImages } from './images/read-images.ts';
import { type RuntimeProgram, runtimeImage } from './runtime-image.ts';

/** How the two ways of giving a runtime are spelled on a command line; both may be repeated. */
export const runtimeFlags = {
  'runtime-image': { type: 'string', multiple: true, default: [] as string[] },
  'base-image': { type: 'string', multiple: true, default: [] as string[] },
} as const;

export interface RuntimeFlags {
  /** Complete images, e.g. those that package/Dockerfile made. */
  readonly 'runtime-image': readonly string[];
  /** Images with Node, for the bundle to be put on. */
  readonly 'base-image': readonly string[];
}

/**
 * The images that a package embeds, one a platform; none where no flag is given.
 *
 * @param program makes or reads the bundle that goes onto base images; called if there are any
 */
export async function chooseRuntimes(
  flags: RuntimeFlags,
  program: () => Promise<RuntimeProgram>,
): Promise<ContainerImage[]> {
  const { 'runtime-image': ready, 'base-image': bases } = flags;
  if (ready.length > 0 && bases.length > 0) throw new Error('give either --runtime-image or --base-image');
  if (bases.length === 0) return ready.length === 0 ? [] : readImages(ready);
  const added = await program();
  return Promise.all((await readImages(bases)).map((base) => runtimeImage(base, added)));
}
