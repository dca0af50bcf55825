import type { KnownViolation } from '../runner/campaign-module.ts';
import type { KymaClusterAction } from './kyma-cluster-module.ts';

const set = (at: number): KymaClusterAction => ({
  of: 'cluster',
  user: {
    do: 'set',
    at,
    spec: {
      providerConfigRef: { kind: 'ClusterProviderConfig', name: 'default' },
      forProvider: { runtimeID: 'r-1', version: '1.0', kubeconfigSecretRef: { name: 'kubeconfig' } },
    },
  },
});
const copy: KymaClusterAction = { of: 'cluster', user: { do: 'copy', at: 0, to: 1 } };
const deletion = (at: number): KymaClusterAction => ({ of: 'cluster', user: { do: 'delete', at } });
const cut: KymaClusterAction = {
  of: 'process',
  process: { do: 'fault', link: 'kubernetes', fault: { kind: 'cut', when: 'before' }, calls: 1 },
};
const wait: KymaClusterAction = { of: 'process', process: { do: 'wait', ms: 300_000 } };

/** Violations that exist today. */
export const knownKymaClusterViolations: readonly KnownViolation<KymaClusterAction>[] = [
  {
    invariant: 'ownership',
    what: /^cluster .* is deleted/,
    // The name of the last registration is that of the copy.
    actions: [set(0), wait, copy, wait, deletion(0)],
    reason:
      'two KymaClusters of a namespace with one runtimeID register it in turn, and one deletes what the other has',
    since: '2026-11-28',
  },
  {
    invariant: 'convergence',
    what: /deletion of the cluster|is delete_pending/,
    actions: [cut, set(0), set(1)],
    reason:
      'of two KymaClusters with one runtimeID one is deleted: it deletes the cluster that the other registers',
    since: '2026-11-28',
  },
];
