import type { Switches } from '../../configuration/configuration.ts';
import type { Extender } from '../model/extender.ts';

const objectOf = (switches: Switches): Record<string, boolean> => Object.fromEntries(switches);

/** What of Kubernetes the configuration switches on or off, in the API server and on nodes. */
export const featureGates: Extender = ({ configuration }) => {
  const { kubeApiServer, kubelet } = configuration.converter.kubernetes;
  return {
    kubeAPIServer: {
      ...(kubeApiServer.featureGates.size === 0
        ? {}
        : { featureGates: objectOf(kubeApiServer.featureGates) }),
      ...(kubeApiServer.runtimeConfig.size === 0
        ? {}
        : { runtimeConfig: objectOf(kubeApiServer.runtimeConfig) }),
    },
    ...(kubelet.featureGates.size === 0 ? {} : { kubelet: { featureGates: objectOf(kubelet.featureGates) } }),
  };
};
