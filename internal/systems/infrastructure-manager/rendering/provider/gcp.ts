import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import { RenderingError, rawDocument } from '../model/extender.ts';
import type { Infrastructure } from './infrastructure.ts';

const apiVersion = 'gcp.provider.extensions.gardener.cloud/v1alpha1';

/** One subnet for all zones. */
export const gcp: Infrastructure = {
  create: (nodes) => {
    const config: ExtensionSchemas['GcpInfrastructureConfig'] = {
      apiVersion,
      kind: 'InfrastructureConfig',
      // The older name is set too, as in Shoots that exist.
      networks: { worker: nodes, workers: nodes },
    };
    return rawDocument(config);
  },
  addZones: (live) => live,
  controlPlane: ([zone]) => {
    if (zone === undefined)
      throw new RenderingError('spec.shoot.provider.workers.zones', 'zones list is empty');
    const config: ExtensionSchemas['GcpControlPlaneConfig'] = {
      apiVersion,
      kind: 'ControlPlaneConfig',
      zone,
    };
    return rawDocument(config);
  },
};
