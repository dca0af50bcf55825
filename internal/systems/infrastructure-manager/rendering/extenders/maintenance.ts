import type { Extender } from '../model/extender.ts';

/** Whether and when Gardener upgrades. Only productive Shoots have a window of their region. */
export const maintenance: Extender = ({ spec: { shoot }, configuration }) => {
  const { converter, maintenanceWindows } = configuration;
  const window = shoot.purpose === 'production' ? maintenanceWindows.get(shoot.region) : undefined;
  return {
    spec: {
      maintenance: {
        autoUpdate: {
          kubernetesVersion: converter.kubernetes.enableKubernetesVersionAutoUpdate,
          machineImageVersion: converter.kubernetes.enableMachineImageVersionAutoUpdate,
        },
        ...(window === undefined ? {} : { timeWindow: { ...window } }),
      },
    },
  };
};
