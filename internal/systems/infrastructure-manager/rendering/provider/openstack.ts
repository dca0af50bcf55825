import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { rawDocument } from '../model/raw-document.ts';
import type { Infrastructure } from './infrastructure.ts';

const apiVersion = 'openstack.provider.extensions.gardener.cloud/v1alpha1';

/** One subnet for all zones. */
export const openstack: Infrastructure = {
  create: (nodes) => {
    const config: ExtensionSchemas['OpenstackInfrastructureConfig'] = {
      apiVersion,
      kind: 'InfrastructureConfig',
      floatingPoolName: 'FloatingIP-external-kyma-01',
      networks: { workers: nodes },
    };
    return rawDocument(config);
  },
  addZones: (live) => live,
  controlPlane: () => {
    const config: ExtensionSchemas['OpenstackControlPlaneConfig'] = {
      apiVersion,
      kind: 'ControlPlaneConfig',
      loadBalancerProvider: 'f5',
    };
    return rawDocument(config);
  },
};
