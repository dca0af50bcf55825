import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** An npm package with code in a bundle. */
export interface BundledPackage {
  /** `name@version` */
  readonly id: string;
  /** Its folder, relative to the root of the bundle, with slashes. */
  readonly folder: string;
  readonly manifest: PackageManifest;
}

/** The used part of a package.json. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string | { readonly type?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Every npm package that has code in the bundle, sorted. @param root to which the paths of the metafile are relative */
export async function bundledPackages(metafile: Metafile, root: string): Promise<BundledPackage[]> {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      // Modules that tree shaking removed are not shipped.
      const folder = bytesInOutput > 0 ? packageFolder(path) : undefined;
      if (folder !== undefined) folders.add(folder);
    }
  }
  const packages = await Promise.all(
    [...folders].map(async (folder): Promise<BundledPackage> => {
      const manifest = await readManifest(join(root, folder));
      return { id: `${manifest.name}@${manifest.version}`, folder, manifest };
    }),
  );
  return packages.sort((a, b) => (a.id < b.id || (a.id === b.id && a.folder < b.folder) ? -1 : 1));
}

export async function readManifest(folder: string): Promise<PackageManifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

/** The innermost package's folder; undefined for our own code. */
function packageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}
