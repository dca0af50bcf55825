import type { UninstallReview } from '../../framework/managed/preview/uninstall/uninstall-review.ts';

const group = 'inventory.hana.orchestrate.cloud.sap';
const finalizers = ['finalizer.managedresource.crossplane.io'];

/** The example in the documentation. */
export const review: UninstallReview = {
  safe: false,
  findings: [
    {
      apiVersion: `${group}/v1alpha1`,
      kind: 'KymaInstanceMapping',
      name: 'shop',
      fate: 'lost',
      why: 'its external resource would be deleted; if the provider is gone before, it hangs',
      finalizers,
      externalName: 'i-1/c-1/shop',
      deletionPolicy: 'Delete',
      remediation: `kubectl patch kymainstancemappings.${group} shop --type=merge -p '{"spec":{"deletionPolicy":"Orphan"}}'`,
    },
    {
      apiVersion: 'hana.sap.crossplane.io/v1alpha1',
      kind: 'ProviderConfig',
      name: 'default',
      fate: 'hangs',
      why: '1 resource uses it',
      finalizers: ['in-use.crossplane.io'],
    },
  ],
  unaffected: 3,
  notInstalled: [],
};
