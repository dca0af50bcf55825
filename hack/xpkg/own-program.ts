/** What the package of this repository contains. Packages of authors state their own (hack/kit/package). */
import { readFile } from 'node:fs/promises';
import type { BundleFile } from '../bundle/bundle.ts';
import type { PackageSource } from './build-package.ts';
import type { RuntimeProgram } from './runtime-image.ts';

const NAME = 'provider-kyma';

export const ownPackage: PackageSource = {
  name: NAME,
  license: 'Apache-2.0',
  meta: 'package/crossplane.yaml',
  contents: ['package/crds/*.yaml'],
  // Those for authors of other providers, and charts, have CRDs of their own.
  examples: 'examples/!(hello-*|mothership)/**/*.yaml',
};

/** What containers run by name, without a shell; package/Dockerfile copies the same files. */
export const COMMANDS = {
  /** For `kubectl exec POD -- provider-kyma doctor …`. */
  'usr/local/bin/provider-kyma': 'provider-kyma.cjs',
  /** The command of Deployments of the Kyma infrastructure manager: starts that module with their flags. */
  manager: 'manager.cjs',
} as const;

/** @param files of the bundle, by their names below its folder */
export const ownProgram = async (files: readonly BundleFile[]): Promise<RuntimeProgram> => ({
  name: NAME,
  files,
  args: ['start'],
  commands: await Promise.all(
    Object.entries(COMMANDS).map(async ([name, file]) => ({
      name,
      bytes: await readFile(new URL(`../../package/commands/${file}`, import.meta.url)),
    })),
  ),
});
