import type { Extender } from '../model/extender.ts';

/** The control plane must be in the region of the nodes, if the Runtime enforces it. */
export const seedSelector: Extender = ({ spec: { shoot } }) =>
  shoot.enforceSeedLocation === true && shoot.region !== ''
    ? { spec: { seedSelector: { matchLabels: { 'seed.gardener.cloud/region': shoot.region } } } }
    : {};
