import type { Extender } from '../model/extender.ts';

/** Seeds of the region in Saudi Arabia take only Shoots that tolerate their taint. */
export const tolerations: Extender = ({ spec }) =>
  spec.shoot.region === 'me-central2' ? { spec: { tolerations: [{ key: 'ksa-assured-workload' }] } } : {};
