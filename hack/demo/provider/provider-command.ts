import { join } from 'node:path';

/** What users start: the bundle, through its launcher. */
export const PROVIDER = join(import.meta.dirname, '../../../bin/provider-kyma');

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
