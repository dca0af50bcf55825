import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** How the provider is started: the program, and what comes before its own arguments. */
export interface ProviderCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** As one types it in this folder. */
  readonly typed: string;
}

/** What users start: the bundle, through its launcher. */
export function bundledProvider(): ProviderCommand {
  const file = join(ROOT, 'bin/provider-kyma');
  return { file, args: [], typed: typed(file) };
}

/** The same program without a build. */
export function providerFromSource(): ProviderCommand {
  const main = join(ROOT, 'internal/cli/main.ts');
  return { file: process.execPath, args: [main], typed: `${typed(process.execPath)} ${typed(main)}` };
}

function typed(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
}

/**
 * The environment of the provider and of `doctor`: what they need and no more, so that no setting of the user's shell
 * (a proxy, a flag's twin, another cluster) changes what is shown.
 *
 * @param caFile PEM file of the authority that HANA Cloud's certificates are from
 */
export function providerEnvironment(caFile: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR'].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), NODE_EXTRA_CA_CERTS: caFile };
}
