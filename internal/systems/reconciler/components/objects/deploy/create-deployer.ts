import type { Deployer } from '../../model/deployer.ts';
import { INTERCEPTORS } from '../interceptors/interceptors.ts';
import { deployComponent } from './deploy-component.ts';
import type { DeployerOptions, DeploySettings } from './deployer-options.ts';
import { removeComponent } from './remove-component.ts';

const SECOND_MS = 1000;

export function createDeployer(options: DeployerOptions): Deployer {
  const settings: DeploySettings = {
    progressIntervalMs: 15 * SECOND_MS,
    progressTimeoutMs: 600 * SECOND_MS,
    discoveryTries: 5,
    interceptors: INTERCEPTORS,
    ...options,
  };
  return {
    deploy: async (target, manifest, each) => {
      await deployComponent(target, manifest, { ...settings, ...each });
    },
    remove: async (target, manifest, each) => {
      await removeComponent(target, manifest, { ...settings, ...each });
    },
  };
}
