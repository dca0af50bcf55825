import fc from 'fast-check';
import {
  type KymaCluster,
  kymaCluster,
} from '../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import type { ObjectKey } from '../../../internal/framework/kube/index.ts';
import { specArbitrary } from '../actions/spec-arbitrary.ts';

export type KymaClusterSpec = KymaCluster['spec'];

export const PLACES: readonly ObjectKey[] = [
  { namespace: 'team', name: 'first' },
  { namespace: 'team', name: 'second' },
  { namespace: 'tenant', name: 'first' },
];
/** Registered by others. */
export const FOREIGN = 'foreign';

const component = fc.record(
  {
    component: fc.constantFrom('a', 'b'),
    namespace: fc.constantFrom('kyma-system', 'other'),
    version: fc.constantFrom('1.0', '2.0'),
    url: fc.constantFrom('https://charts.example.org/a.tgz'),
    configuration: fc.uniqueArray(
      fc.record(
        {
          key: fc.constantFrom('k', 'l'),
          value: fc.constantFrom('1', '"x"'),
          format: fc.constantFrom('Text', 'JSON'),
        },
        { requiredKeys: ['key', 'value', 'format'], noNullPrototype: true },
      ),
      { selector: ({ key }) => key, maxLength: 2 },
    ),
  },
  { requiredKeys: ['component', 'namespace'], noNullPrototype: true },
);

export const kymaClusterSpecs = specArbitrary<KymaClusterSpec>(
  'reconciler/chart/files/crds/reconciler.m.kyma-project.io_kymaclusters.yaml',
  {
    providerConfigRef: fc.constant({ kind: 'ClusterProviderConfig', name: 'default' }),
    managementPolicies: undefined,
    writeConnectionSecretToRef: undefined,
    'forProvider.runtimeID': fc.constantFrom('r-1', 'r-2', FOREIGN),
    'forProvider.version': fc.constantFrom('1.0', '2.0'),
    'forProvider.name': fc.constantFrom('shown', 'other'),
    'forProvider.kubeconfigSecretRef': fc.constant({ name: 'kubeconfig', key: 'config' }),
    'forProvider.components': fc.uniqueArray(component, {
      selector: (each) => each.component,
      maxLength: 2,
    }),
  },
).map((spec) => ({
  ...spec,
  // The rule of the CRD, and a default.
  forProvider: { ...spec.forProvider, kubeconfigSecretRef: { name: 'kubeconfig' } },
  providerConfigRef: { kind: 'ClusterProviderConfig', name: 'default' },
}));

export const kymaClusterAt = ({ namespace = '', name }: ObjectKey, spec: KymaClusterSpec): KymaCluster =>
  kymaCluster({ namespace, name, spec } as Parameters<typeof kymaCluster>[0]);
