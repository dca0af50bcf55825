import {
  commonStructure,
  type FieldStructure,
} from '../../../../internal/framework/kube/fakes/managed-fields.ts';

/** How fields of a Shoot are owned, as the gardener-apiserver declares it: other lists are atomic. */
export const shootStructure: FieldStructure = {
  lists: {
    ...commonStructure.lists,
    'spec.provider.workers': 'name',
    'spec.tolerations': 'key',
    'spec.dns.providers': 'type',
    'spec.kubernetes.kubeAPIServer.admissionPlugins': 'name',
    'status.constraints': 'type',
    'status.advertisedAddresses': 'name',
  },
  atomic: [
    ...commonStructure.atomic,
    'spec.provider.infrastructureConfig',
    'spec.provider.controlPlaneConfig',
    'spec.provider.workers[].providerConfig',
    'spec.provider.workers[].machine.image.providerConfig',
    'spec.networking.providerConfig',
  ],
};
