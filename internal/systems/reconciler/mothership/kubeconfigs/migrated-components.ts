import { type Deps, findCause, messageOf } from '../../../../framework/base/index.ts';
import { EndpointRefusedError } from '../../../../framework/http/index.ts';
import { KubeconfigError } from '../../../../framework/kube/config/kubeconfig-document.ts';
import { isNotFound } from '../../../../framework/kube/index.ts';
import type { MigrationCrd } from '../config/mothership-file.ts';
import type { ClusterAccess } from './cluster-access.ts';

export interface MigratedComponentsOptions extends Pick<Deps, 'log'> {
  readonly access: ClusterAccess;
  readonly crds: ReadonlyMap<string, MigrationCrd>;
  /** The kubeconfig of a runtime; undefined if there is none. */
  readonly kubeconfigOf: (runtimeId: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** In ms, for all components of a cluster. */
const TIMEOUT_MS = 15_000;

/**
 * The components of a cluster that something else manages by now: their CRD can be listed there, or it is not known that it
 * cannot. Without a usable kubeconfig there are none.
 */
export function createMigrationCheck(options: MigratedComponentsOptions) {
  const { access, crds, kubeconfigOf, log } = options;
  return async (runtimeId: string, components: readonly string[]): Promise<ReadonlySet<string>> => {
    const asked = components.flatMap((component) => {
      const crd = crds.get(component.toLowerCase());
      return crd === undefined ? [] : [{ component, crd }];
    });
    if (asked.length === 0) return new Set();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const kubeconfig = await kubeconfigOf(runtimeId, signal);
      if (kubeconfig === undefined) return new Set();
      return await access.withClient(kubeconfig, async (client) => {
        const found = await Promise.all(
          asked.map(async ({ component, crd: { group, version, plural } }) => {
            try {
              await client.list(
                { group, version, plural, kind: plural, namespaced: true },
                { limit: 1, signal },
              );
              return [component];
            } catch (error) {
              return isNotFound(error) ? [] : [component];
            }
          }),
        );
        return new Set(found.flat());
      });
    } catch (error) {
      const isUnusable = findCause(error, KubeconfigError) ?? findCause(error, EndpointRefusedError);
      log.info('cannot look for CRDs of migrated components', {
        'runtime-id': runtimeId,
        error: messageOf(error),
      });
      return new Set(isUnusable === undefined ? asked.map(({ component }) => component) : []);
    }
  };
}
