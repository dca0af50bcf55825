import type { Extender } from '../model/extender.ts';

/** Platform regions to which only staff in the EU has access. */
const RESTRICTED: ReadonlySet<string> = new Set(['cf-eu11', 'cf-ch20', 'cf-eu01', 'cf-eu02', 'cf-eu31']);

const restriction = {
  name: 'eu-access-only',
  options: {
    'support.gardener.cloud/eu-access-for-cluster-addons': 'true',
    'support.gardener.cloud/eu-access-for-cluster-nodes': 'true',
  },
};

export const accessRestrictions: Extender = ({ spec }) =>
  RESTRICTED.has(spec.shoot.platformRegion) ? { spec: { accessRestrictions: [restriction] } } : {};
