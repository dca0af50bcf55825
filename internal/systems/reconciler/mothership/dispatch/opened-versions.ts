import { createLruCache, textBytes } from '../../../../framework/base/collections/lru-cache.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptComponents, decryptKubeconfig } from '../inventory/cluster-states.ts';
import type { Component } from '../model/cluster.ts';
import type { ClaimedOperation } from './claim-operations.ts';

/** Decrypted texts of versions, which never change: the operations of a run need the same ones. */
export interface OpenedVersions {
  componentsOf(operation: ClaimedOperation): readonly Component[];
  /** Undefined: the cluster was registered without one. */
  kubeconfigOf(operation: ClaimedOperation): string | undefined;
}

/** Memory of each of both, in bytes. */
const MAX_BYTES = 8 * 1024 ** 2;

export function createOpenedVersions(keyring: Keyring): OpenedVersions {
  const components = createLruCache<string, { readonly list: readonly Component[]; readonly bytes: number }>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ bytes }) => bytes,
  });
  const kubeconfigs = createLruCache<string, string>({ maxBytes: MAX_BYTES, bytesOf: textBytes });
  return {
    componentsOf: (operation) => {
      const version = String(operation.config_version);
      const known = components.get(version);
      if (known !== undefined) return known.list;
      const list = decryptComponents(operation, keyring);
      components.set(version, { list, bytes: textBytes(operation.components) });
      return list;
    },
    kubeconfigOf: (operation) => {
      const version = String(operation.cluster_version);
      const known = kubeconfigs.get(version);
      if (known !== undefined) return known;
      const kubeconfig = decryptKubeconfig(operation, keyring);
      if (kubeconfig !== undefined) kubeconfigs.set(version, kubeconfig);
      return kubeconfig;
    },
  };
}
